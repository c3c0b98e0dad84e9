// The pages: two small ones of our own on loopback, and pages that nobody here wrote.

import { createReadStream, existsSync, readFileSync, readdirSync } from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const LOGIN = `<!doctype html><title>Sign in</title><h1>Sign in</h1>
<form action="/dashboard" method="get">
<label>Email <input name="email" type="email" required></label>
<label>Password <input name="password" type="password" required></label>
<button>Sign in</button></form>`;
const DASHBOARD = `<!doctype html><title>Dashboard</title><h1 class="dashboard-header">Dashboard</h1>
<p>Welcome back, admin.</p><ul><li>3 open orders</li><li>1 new message</li></ul><a href="/">Sign out</a>`;
const COUNTER = `<!doctype html><title>Counter</title><h1>Counter</h1>
<button id="b" onclick="n.textContent = ++count">Count</button> <p>Clicks: <b id="n">0</b></p><script>let count = 0</script>`;

const TYPES = {
  ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml",
  ".png": "image/png", ".gif": "image/gif", ".woff2": "font/woff2",
};

export async function serve() {
  const pages = { "/": LOGIN, "/dashboard": DASHBOARD, "/counter": COUNTER };
  const server = http.createServer((request, response) => {
    const asked = decodeURIComponent(new URL(request.url, "http://x").pathname);
    // Not every peer opens file addresses: documents are served, with whatever lies beside them.
    const file = asked.startsWith("/file/") ? asked.slice("/file".length) : null;
    if (file && existsSync(file)) {
      response.writeHead(200, { "content-type": TYPES[path.extname(file)] ?? "application/octet-stream" });
      createReadStream(file).on("error", () => response.end()).pipe(response);
      return;
    }
    response.writeHead(pages[asked] ? 200 : 404, { "content-type": "text/html" });
    response.end(pages[asked] ?? "not here");
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { base: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const debian = ["sqlite3/index", "sqlite3/lang_select", "sqlite3/datatype3", "sqlite3/faq", "sqlite3/docs",
  "sqlite3/howtocorrupt", "sqlite3/compile", "sqlite3/lang", "sqlite3/pragma", "nodejs/api/index", "nodejs/api/fs",
  "nodejs/api/http", "nodejs/api/url", "nodejs/api/process", "nodejs/api/path", "nodejs/api/events", "nodejs/api/assert",
  "nodejs/api/stream", "nodejs/api/crypto"].map((name) => path.join(root, ".cache/docs/usr/share/doc", `${name}.html`));

// The manual of the toolchain that builds Legwork, if it came with one.
function manual() {
  const [, channel] = /^channel = "(.*)"/m.exec(readFileSync(path.join(root, "rust-toolchain.toml"), "utf8"));
  const toolchains = path.join(process.env.RUSTUP_HOME ?? path.join(os.homedir(), ".rustup"), "toolchains");
  const names = existsSync(toolchains) ? readdirSync(toolchains).filter((name) => name.startsWith(`${channel}-`)) : [];
  const folder = names.map((name) => path.join(toolchains, name, "share/doc/rust/html")).find((one) => existsSync(one));
  if (!folder) console.warn(`the manual of Rust ${channel} is not here, so its pages are left out: rustup component add rust-docs`);
  return folder;
}

const folder = manual();
const rust = ["index", "std/index", "std/collections/index", "std/string/struct.String", "std/vec/struct.Vec",
  "book/ch04-01-what-is-ownership", "book/ch08-02-strings", "reference/expressions/match-expr"]
  .flatMap((name) => (folder ? [path.join(folder, `${name}.html`)] : []));

// Pages nobody here wrote; `scripts/setup --pages` gets the Debian ones.
export const documents = [...debian, ...rust];
const absent = documents.filter((file) => !existsSync(file));
if (absent.length) throw new Error(`pages are missing (scripts/setup --pages gets Debian's):\n  ${absent.join("\n  ")}`);
