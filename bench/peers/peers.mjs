// Who takes part, and how each says the same things: open, see, fill, click, evaluate.

import { fileURLToPath } from "node:url";
import path from "node:path";
import { chromium } from "./chromium.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const bin = (name) => path.join(here, "node_modules", ".bin", name);
const asRoot = process.getuid?.() === 0;

// The element of an accessibility snapshot by its name, in the peer's own spelling.
const uidOf = (text, role, name) => new RegExp(`uid=(\\S+) ${role} "${name}"`).exec(text)?.[1];
const refOf = (text, role, name) => new RegExp(`${role} "${name}" [^\\n]*?ref=(\\w+)`).exec(text)?.[1];

export const PEERS = {
  legwork: {
    command: process.env.LEGWORK ?? path.join(here, "../../target/release/legwork"),
    args: ["mcp", "--tools", "all"],
    open: (call, url) => call("browser_navigate", { url }),
    see: (call) => call("browser_snapshot", { max_tokens: 10_000_000 }),
    controls: (call) => call("browser_snapshot", { interactive: true, max_tokens: 10_000_000 }),
    usual: (call) => call("browser_snapshot", {}),
    prose: (call) => call("browser_extract", { format: "text", max_tokens: 10_000_000 }),
    click: (call, { selector }) => call("browser_click", { target: selector }),
    evaluate: (call, expression) => call("browser_eval", { expression }),
    async login(call, url) {
      await call("browser_navigate", { url });
      return call("browser_fill_form", { fields: { Email: "admin@test.com", Password: "password123" }, submit: true });
    },
  },
  playwright: {
    command: bin("playwright-mcp"),
    args: ["--headless", "--isolated", "--executable-path", chromium, ...(asRoot ? ["--no-sandbox"] : [])],
    open: (call, url) => call("browser_navigate", { url }),
    see: (call) => call("browser_snapshot", {}),
    // What the page shows, as the browser itself says.
    async seen(call) {
      const told = await this.evaluate(call, "document.body.innerText");
      return JSON.parse(/^### Result\n(".*")$/m.exec(told)[1]);
    },
    click: (call, { selector, name }) => call("browser_click", { element: name, target: selector }),
    evaluate: (call, expression) => call("browser_evaluate", { function: `() => (${expression})` }),
    async login(call, url) {
      await call("browser_navigate", { url });
      const page = await call("browser_snapshot", {});
      const field = (name, value) => ({ element: name, name, type: "textbox", target: refOf(page, "textbox", name), value });
      await call("browser_fill_form", { fields: [field("Email", "admin@test.com"), field("Password", "password123")] });
      await call("browser_click", { element: "Sign in", target: refOf(page, "button", "Sign in") });
      return call("browser_snapshot", {});
    },
  },
  devtools: {
    command: bin("chrome-devtools-mcp"),
    args: ["--headless", "--isolated", "--executablePath", chromium, "--usageStatistics=false",
      ...(asRoot ? ["--chromeArg=--no-sandbox"] : [])],
    open: (call, url) => call("navigate_page", { pageId: 1, type: "url", url }),
    see: (call) => call("take_snapshot", { pageId: 1 }),
    async click(call, { role, name }) {
      this.page ??= await call("take_snapshot", { pageId: 1 });
      return call("click", { pageId: 1, uid: uidOf(this.page, role, name) });
    },
    evaluate: (call, expression) => call("evaluate_script", { pageId: 1, function: `() => (${expression})` }),
    async login(call, url) {
      await call("navigate_page", { pageId: 1, type: "url", url });
      const page = await call("take_snapshot", { pageId: 1 });
      const field = (name, value) => ({ uid: uidOf(page, "textbox", name), value });
      await call("fill_form", { pageId: 1, elements: [field("Email", "admin@test.com"), field("Password", "password123")] });
      return call("click", { pageId: 1, uid: uidOf(page, "button", "Sign in"), includeSnapshot: true });
    },
  },
  "agent-browser": {
    command: bin("agent-browser"),
    args: ["mcp"],
    env: { AGENT_BROWSER_EXECUTABLE_PATH: chromium, ...(asRoot ? { AGENT_BROWSER_ARGS: "--no-sandbox" } : {}) },
    open: (call, url) => call("agent_browser_open", { url }),
    controls: (call) => call("agent_browser_snapshot", { interactive: true }),
    click: (call, { selector }) => call("agent_browser_click", { selector }),
    evaluate: (call, expression) => call("agent_browser_eval", { script: expression }),
    end: (call) => call("agent_browser_close", {}),
    async login(call, url) {
      await call("agent_browser_open", { url });
      const page = await call("agent_browser_snapshot", { interactive: true });
      const at = (role, name) => `@${refOf(page, role, name)}`;
      await call("agent_browser_fill", { selector: at("textbox", "Email"), text: "admin@test.com" });
      await call("agent_browser_fill", { selector: at("textbox", "Password"), text: "password123" });
      await call("agent_browser_click", { selector: at("button", "Sign in") });
      return call("agent_browser_snapshot", {});
    },
  },
};
