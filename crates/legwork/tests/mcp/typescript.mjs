// The official TypeScript client signs in. Arguments: its folder, the address of the site, then either
// the program and its arguments, or `--http` with the address of the server and a token.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

const [folder, site, ...rest] = process.argv.slice(2);
const part = (path) => import(pathToFileURL(`${folder}/dist/esm/client/${path}.js`));
const { Client } = await part("index");
const { StdioClientTransport } = await part("stdio");
const { StreamableHTTPClientTransport } = await part("streamableHttp");

function transport([first, ...others]) {
  if (first !== "--http") return new StdioClientTransport({ command: first, args: others, env: process.env });
  const [address, token] = others;
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  return new StreamableHTTPClientTransport(new URL(address), { requestInit });
}

const client = new Client({ name: "typescript", version: "1" });
const way = transport(rest);
await client.connect(way);
assert.equal(client.getServerVersion().name, "legwork");
const { tools } = await client.listTools();
assert(tools.some((tool) => tool.name === "browser_click"));
const call = (name, args, options) => client.callTool({ name, arguments: args }, undefined, options);

const page = await call("browser_navigate", { url: `${site}/login` });
assert.match(page.content[0].text, /Password/);
const heard = [];
const steps = [
  { tool: "browser_type", target: "User", text: "ada" },
  { tool: "browser_type", target: "Password", text: "secret" },
  { tool: "browser_click", target: 'button "Sign in"' },
];
const done = await call("browser_batch", { steps }, { onprogress: ({ progress }) => heard.push(progress) });
assert.match(done.content[0].text, /Welcome, ada/);
assert.deepEqual(heard, [0, 1, 2]);
assert.equal(done.structuredContent.steps.length, 3);
const wrong = await call("browser_click", {});
assert(wrong.isError && wrong.content[0].text.includes("missing field"));

const giveUp = new AbortController();
const waiting = call("browser_wait", { text: "never there", timeout: "60s" }, { signal: giveUp.signal });
await client.ping();
giveUp.abort("enough");
await assert.rejects(waiting);
const shot = await call("browser_take_screenshot", {});
assert.equal(shot.content[1].mimeType, "image/png");
const { resources } = await client.listResources();
assert.equal(resources.length, 2);
const seen = await client.readResource({ uri: "legwork://page/snapshot" });
assert.match(seen.contents[0].text, /Welcome, ada/);
if (way.terminateSession) await way.terminateSession();
await client.close();
console.log("signed in");
