// The same work through Legwork and its peers, one after the other on one machine, as ratios.
//
//   npm install && node run.mjs [--only PEER,PEER] [--pages NAME,NAME] [--json FILE]

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { PEERS } from "./peers.mjs";
import { interactive, missing } from "./names.mjs";
import { documents as all, serve } from "./pages.mjs";
import { read } from "./text.mjs";

// Peers leave files where they are started.
const scratch = mkdtempSync(path.join(os.tmpdir(), "legwork-peers-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

const option = (name) => {
  const at = process.argv.indexOf(name);
  return at > 0 ? process.argv[at + 1] : undefined;
};
const wanted = option("--only")?.split(",") ?? Object.keys(PEERS);
const pages = option("--pages")?.split(",");
const documents = all.filter((file) => !pages || pages.some((name) => file.includes(name)));
const CLICKS = 40;
const EVALS = 60;
const now = () => performance.now();
const median = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];
const tokens = (text) => countTokens(text, { disallowedSpecial: new Set() });
const textOf = (reply) => reply.content.filter((part) => part.type === "text").map((part) => part.text).join("\n");

// A peer at work, which counts its calls and what a model would read of them.
async function start(peer) {
  const client = new Client({ name: "bench", version: "1.0.0" });
  const env = { ...process.env, ...peer.env };
  const { command, args } = peer;
  await client.connect(new StdioClientTransport({ command, args, env, cwd: scratch, stderr: "ignore" }));
  const count = { calls: 0, tokens: 0 };
  const call = async (name, args) => {
    const reply = await client.callTool({ name, arguments: args }, undefined, { timeout: 180_000 });
    const text = textOf(reply);
    if (reply.isError) throw new Error(`${name}: ${text.slice(0, 300)}`);
    count.calls++;
    count.tokens += tokens(text);
    return text;
  };
  return { client, call, count };
}

async function work(peer, base) {
  const began = now();
  const { client, call, count } = await start(peer);
  const tools = await client.listTools();
  await peer.open(call, `${base}/counter`);
  const out = { start: now() - began, list: tokens(JSON.stringify(tools.tools)) };
  out.login = await login(peer, call, count, base);
  await peer.open(call, `${base}/counter`);
  out.click = await timed(CLICKS, () => peer.click(call, { selector: "#b", role: "button", name: "Count" }));
  const clicked = await peer.evaluate(call, "document.getElementById('n').textContent");
  if (!clicked.includes(String(CLICKS))) throw new Error(`clicks were lost: ${clicked.slice(0, 200)}`);
  out.evaluate = await timed(EVALS, (n) => peer.evaluate(call, `${n} + 1`));
  out.pages = [];
  for (const file of documents) out.pages.push(await look(peer, call, `${base}/file${file}`));
  await peer.end?.(call);
  await client.close();
  return out;
}

async function login(peer, call, count, base) {
  await peer.login(call, `${base}/`);
  const [calls, before, began] = [count.calls, count.tokens, now()];
  const seen = await peer.login(call, `${base}/`);
  if (!seen.includes("Dashboard")) throw new Error(`no dashboard: ${seen.slice(0, 300)}`);
  return { ms: now() - began, calls: count.calls - calls, tokens: count.tokens - before };
}

async function timed(times, step) {
  const samples = [];
  for (let n = 0; n < times; n++) {
    const began = now();
    await step(n);
    samples.push(now() - began);
  }
  return median(samples);
}

async function look(peer, call, url) {
  await peer.open(call, url);
  const began = now();
  const whole = await peer.see?.(call);
  const ms = now() - began;
  const controls = await peer.controls?.(call);
  const usual = await peer.usual?.(call);
  const prose = await peer.prose?.(call);
  const seen = await peer.seen?.(call);
  return {
    prose: prose && tokens(prose), refs: refsIn(controls), shown: refsIn(whole),
    url, ms, whole: whole && tokens(whole), controls: controls && tokens(controls), usual: usual && tokens(usual),
    names: whole && interactive(whole), text: whole, seen,
  };
}

const refsIn = (text) => text?.match(/\be\d+\b/g)?.length;

// Links outside of the window until they have the focus: nobody sees them, and no click reaches them.
const UNSEEN = new Set(["Skip to main content"]);

function report(results) {
  const { legwork: ours, playwright } = results;
  const rows = [];
  const row = (work, pick, unit = "") => {
    const cells = Object.keys(results).map((name) => {
      const value = pick(results[name]);
      if (value === undefined) return "";
      const ratio = ours && name !== "legwork" && pick(ours) ? ` (x ${(value / pick(ours)).toFixed(1)})` : "";
      return `${value >= 100 ? Math.round(value) : value.toFixed(1)}${unit}${ratio}`;
    });
    rows.push([work, ...cells]);
  };
  row("start to first page", (one) => one.start, " ms");
  row("tools/list, tokens", (one) => one.list);
  row("login, calls", (one) => one.login.calls);
  row("login, tokens of replies", (one) => one.login.tokens);
  row("login, time", (one) => one.login.ms, " ms");
  row("click", (one) => one.click, " ms");
  row("evaluate", (one) => one.evaluate, " ms");
  const share = (one, at) => one === ours && playwright ? 100 * read(one.pages[at].text, playwright.pages[at].seen).share : undefined;
  documents.forEach((file, at) => {
    const name = file.split("/").slice(-2).join("/");
    row(`${name}, tokens`, (one) => one.pages[at].whole);
    row(`${name}, text alone`, (one) => one.pages[at].prose);
    row(`${name}, lines of the page in it`, (one) => share(one, at), " %");
    row(`${name}, controls only`, (one) => one.pages[at].controls);
    row(`${name}, snapshot`, (one) => (one.pages[at].whole === undefined ? undefined : one.pages[at].ms), " ms");
  });
  table([["work", ...Object.keys(results)], ...rows]);
}

function table(rows) {
  const widths = rows[0].map((_, at) => Math.max(...rows.map((row) => row[at].length)));
  for (const row of rows) console.log(row.map((cell, at) => cell.padEnd(widths[at])).join("  "));
}

// Half of Playwright's tokens. Where the text alone has more than that, no more than the text, its
// controls' refs and a heading for the reply.
function mostTokens(own, theirs) {
  const half = theirs.whole * 0.5;
  return own.prose > half ? own.prose + REF_TOKENS * own.shown + HEADER_TOKENS : half;
}

// `<name e12>` beside the name, and the bullets and marks of the lines around it.
const REF_TOKENS = 6;
const HEADER_TOKENS = 40;

// Of how many pages the three promises hold to the letter: half of Playwright's tokens, all of its names,
// and controls for fewer tokens than agent-browser's.
const OUTRIGHT = 12;

function outright({ legwork: ours, playwright, "agent-browser": agent }) {
  if (!ours || !playwright || !agent) return undefined;
  return documents.filter((_, at) => {
    const [own, theirs, other] = [ours, playwright, agent].map((one) => one.pages[at]);
    return own.whole <= theirs.whole * 0.5 && !missing(own.text, theirs.names).length && own.controls < other.controls;
  });
}

// The promises about tokens and names; what is broken is listed.
function faults(results) {
  const { legwork: ours, playwright, "agent-browser": agent } = results;
  if (!ours) return [];
  const out = [];
  const say = (broken, text) => { if (broken) out.push(text); };
  say(ours.login.calls > 3, `login takes ${ours.login.calls} calls`);
  say(ours.login.tokens > 350, `login costs ${ours.login.tokens} tokens`);
  documents.forEach((file, at) => {
    const own = ours.pages[at];
    say(own.usual > 4000, `${file}: the default reply has ${own.usual} tokens`);
    const theirs = playwright?.pages[at];
    const most = theirs && mostTokens(own, theirs);
    say(own.whole > most, `${file}: ${own.whole} tokens of at most ${Math.floor(most)}, Playwright ${theirs?.whole}, its text ${own.prose}`);
    const unnamed = missing(own.text, theirs?.names ?? []).filter((name) => !UNSEEN.has(name));
    say(unnamed.length > 0, `${file}: ${unnamed.length} names missing: ${unnamed.slice(0, 5).join(" | ")}`);
    const other = agent?.pages[at];
    say(other && own.refs <= other.refs && own.controls >= other.controls,
      `${file}: controls cost ${own.controls}, agent-browser's ${other?.controls}`);
    // Who leaves out what is below the window lists fewer controls: then the price of one counts.
    const ratio = other && (own.controls / own.refs) / (other.controls / other.refs);
    say(ratio >= 1, `${file}: a control costs ${ratio?.toFixed(2)} of agent-browser's`);
  });
  return out;
}

const site = await serve();
const results = {};
for (const name of wanted) {
  process.stderr.write(`${name} …\n`);
  results[name] = await work(PEERS[name], site.base);
}
site.close();
report(results);
const broken = faults(results);
const kept = outright(results);
if (kept) {
  console.log(`All three promises hold to the letter on ${kept.length} of ${documents.length} pages:`);
  for (const file of documents) console.log(`  ${kept.includes(file) ? "yes" : "no "} ${file}`);
  // Who asks for some of the pages wants to know of those.
  if (!pages && kept.length < OUTRIGHT) broken.push(`the promises hold to the letter on fewer than ${OUTRIGHT} pages`);
}
for (const fault of broken) console.log(`BROKEN ${fault}`);
const file = option("--json");
if (file) {
  const bare = (key, value) => (["text", "names", "seen"].includes(key) ? undefined : value);
  writeFileSync(file, JSON.stringify({ results, broken, kept }, bare, 1));
}
process.exit(broken.length ? 1 : 0);
