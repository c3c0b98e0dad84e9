// Owns: punctuation. Items, lines and blocks become the text a model reads, and
// nothing the page says in them passes for punctuation of ours.
// Refuses: looking at the page, except to find the fold.

const PLAIN_WORDS = /^(link|button|checkbox|radio|switch|textbox|searchbox|combobox|slider|spinbutton|tab|menuitem|option|clickable|draggable|treeitem|details|listbox|e\d+)\b/;
let repeated = new Map();
// The heading printed last: what stands below it need not name it.
let under = "";

function countNames(items) {
  repeated = new Map();
  for (const item of items) {
    const key = item.role + "\u0002" + item.full;
    repeated.set(key, (repeated.get(key) || 0) + 1);
  }
}

// Everything the page says goes through here when it is printed: it is one line,
// without control or direction characters, and does not look like a ref in
// brackets, a fold or a note of ours.
const SUSPECT = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]|e\d|---|\((?:…|[a-z])|javascript_result/;
const UNPRINTABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
// A ref is one of ours only in brackets of ours: where the page brings brackets, its refs are broken.
const BRACKET = /[[\]<>()［］〔〕【】＜＞（）]/;
const REF = /\be(?=\d+\b)/g;
const NAME_THEN_REF = /(["”»] e)(?=\d+\b)/g;
const NOTE = /\((?=… |page behind|aria-only:|the browser's error page|not listed:|the page (?:is|was) |stopped:|nothing was |waited |row: |in front\)|same document\)|earlier\)|by itself\))/g;
// Lines of ours that begin so say what was done, what came of it, or what to do next. Codes of errors are known
// by their form: words joined by underscores; the few of one word are named.
const VOICE = new RegExp("^(?=" + ["Hint:", "(?:page|frame) now:", "→ ", "[+~] ",
  "(?:ERR_[A-Z_]+|[a-z]+(?:_[a-z]+)+|cancelled|denied|intercepted|timeout): ",
  "(?:alert|status|log):(?: |$)", "(?:blocked|refused|console error|new tab in front|download (?:failed|refused)): ",
  "(?:alert|confirm|prompt|beforeunload) dialog waits for "].join("|") + ")");

function safe(text) {
  if (!SUSPECT.test(text)) return text;
  return text.replace(/[\r\n\u2028\u2029]+/g, " ").replace(UNPRINTABLE, "")
    .replace(REF, BRACKET.test(text) ? "e\\" : "e").replace(NAME_THEN_REF, "$1\\").replace(/---(?= (above|below|in view))/g, "-\\--")
    .replace(NOTE, "\\(").replace(/<(?=\/?javascript_result)/g, "<\\");
}

function quoted(name, role) {
  const awkward = role === "link" ? /[<>]|\be\d/ : /[[\]]|\be\d| = /;
  if (awkward.test(name) || (role === "button" && PLAIN_WORDS.test(name))) return '"' + name.replace(/"/g, '\\"') + '"';
  return name;
}

function itemText(item, options, withContext) {
  const ref = "e" + recOf(item.el).ref;
  const role = item.role === "disclosure" ? "details" : item.role;
  const states = shownStates(item);
  if (item.tail) return "(" + role + " " + ref + (states ? " " + states : "") + linkTarget(item, options) + ")";
  let out = quoted(safe(item.name), item.role);
  if (item.hint) out += "(" + safe(item.hint) + ")";
  if (item.draw) out += (out ? " " : "") + "(" + item.draw + ")";
  out += (out ? " " : "") + ref;
  if (states) out += " " + states;
  if (isFocused(item.el) && FIELD_ROLES.has(item.role)) out += " focused";
  if (item.value) out += " = " + valueText(item);
  if (item.extra) out += " " + safe(item.extra);
  if (item.aria) out += " (aria-only: " + safe(item.aria) + ")";
  if (withContext) out += contextText(item);
  if (item.role === "link") return "<" + out + linkTarget(item, options) + ">";
  return item.role === "button" ? "[" + out + "]" : "[" + role + " " + out + "]";
}

// Details are closed unless they say otherwise.
function shownStates(item) {
  const states = safe(item.states);
  return item.role === "disclosure" ? states.replace(/^collapsed ?/, "") : states;
}

function valueText(item) {
  const bare = item.value === MASK || ((item.role === "slider" || item.role === "spinbutton") && /^-?[\d.]+$/.test(item.value));
  return bare ? item.value : '"' + safe(item.value).replace(/"/g, '\\"') + '"';
}

function isFocused(el) {
  return el === focusNow;
}

let focusNow = null;

function linkTarget(item, options) {
  if (!options.links || item.role !== "link") return "";
  const href = item.el[DOM.getAttribute]("href") || item.el[DOM.getAttribute]("xlink:href");
  if (!href) return "";
  let shown = href;
  try {
    const url = new URL(item.el.href, location.href);
    if (url.origin === location.origin) {
      shown = url.pathname === location.pathname && url.search === location.search && url.hash ? url.hash : url.pathname + url.search + url.hash;
    } else shown = url.href;
  } catch {
    shown = href;
  }
  return " → " + safe(shorten(shown, 200));
}

function contextText(item) {
  if (item.draw) return "";
  if (item.name && (item.role === "link" || !isRepeated(item))) return "";
  if (!item.name && item.hint && !((repeated.get(item.role + "\u0002") || 0) > 1)) return "";
  const context = contextOf(item.el);
  return context && context.kind === "row" && context.text !== under ? " (row: " + safe(context.text) + ")" : "";
}

const PREFIX = { li: "- ", tr: "| ", status: "status: ", alert: "alert: ", log: "log: " };

function lineText(part, options) {
  let out = "";
  let worded = false;
  for (const seg of part.segs) if (/[\p{L}\p{N}]{2}/u.test(typeof seg === "string" ? seg : seg.role === "link" ? seg.name : "")) worded = true;
  for (const seg of part.segs) {
    const text = typeof seg === "string" ? safe(seg) : itemText(seg, options, !worded);
    if (out && typeof seg !== "string" && !/[\s(|"'“‘«[{/]$/.test(out)) out += " ";
    else if (out && typeof seg === "string" && /[\])>]$/.test(out) && /^[\p{L}\p{N}]/u.test(text)) out += " ";
    out += text;
  }
  out = part.kind === "pre" ? out.trimEnd() : out.replace(/ {2,}/g, " ").trim();
  if (typeof part.segs[0] === "string" && !PREFIX[part.kind]) out = out.replace(VOICE, "\\");
  if (part.kind === "heading") return "#".repeat(Math.min(part.level, 6)) + " " + out;
  return (PREFIX[part.kind] || "") + out;
}

// Only what one can act on, with the first words of a row where they are needed.
function lineControls(p, part) {
  const items = unfolded(p.folded, part.segs.filter((seg) => typeof seg !== "string"));
  if (!items.length) return "";
  const { options } = p;
  p.shown = items;
  if (part.kind === "heading") return headingControls(part, items, options);
  const shown = items.map((item) => itemText(item, options, false)).join(" ");
  const links = items.every((item) => item.role === "link");
  if (links || part.kind === "p") {
    const worded = items.some((item) => item.role === "link" && item.name);
    return items.map((item) => itemText(item, options, !worded)).join(" ");
  }
  const label = rowLabel([part]);
  const needed = label && !items.some((item) => item.name.startsWith(label.slice(0, 30)));
  return needed ? (safe(label) + ": " + shown).replace(VOICE, "\\") : shown;
}

const TITLE_LIMIT = 50;

// The words of a heading that are no link, and what in it can be acted on.
function headingControls(part, items, options) {
  const words = clean(part.segs.filter((seg) => typeof seg === "string").join(" "));
  return "#".repeat(Math.min(part.level, 6)) + " " + (words ? safe(shorten(words, TITLE_LIMIT)) + " " : "") +
    items.map((item) => itemText(item, options, false)).join(" ");
}

// A printer gathers lines with their indent, heads only when something follows them.
function printer(options) {
  under = "";
  return { options, out: [], frames: [], heads: [], fold: options.fold ? foldState() : null, folded: folder(), shown: NOTHING };
}

function emit(p, indent, text) {
  for (const head of p.heads) {
    if (p.options.interactive && isTitle(head)) noteTitle(p);
    p.out.push(head);
  }
  p.heads.length = 0;
  p.out.push(indent + text);
}

function printParts(p, parts, indent, level, skip) {
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i];
    if (skip && skip.has(part)) continue;
    const menu = part.kind === "li" && !p.options.interactive ? menuFrom(parts, i) : 0;
    if (menu > 2) {
      printMenu(p, parts.slice(i, i + menu), indent);
      i += menu - 1;
    } else if (part.t === "l") printLine(p, part, indent);
    else if (part.t === "b") printBlock(p, part, indent, level, skip);
  }
}

const MENU_WIDTH = 160;

// How many items of a list, from here on, are one link or button each and nothing else.
function menuFrom(parts, from) {
  const list = recOf(parts[from].el).up;
  let end = from;
  while (end < parts.length && isMenuItem(parts[end]) && recOf(parts[end].el).up === list) end++;
  return end - from;
}

function isMenuItem(part) {
  const seg = part.t === "l" && part.kind === "li" && part.segs.length === 1 ? part.segs[0] : "";
  return (seg.role === "link" || seg.role === "button") && !seg.tail && seg.name !== "" && seg.name.length <= 40;
}

// Short links below one another share lines.
function printMenu(p, parts, indent) {
  let text = "";
  for (const part of parts) {
    const next = itemText(part.segs[0], p.options, true);
    if (text && text.length + next.length > MENU_WIDTH) {
      emit(p, indent, text);
      text = "";
    }
    if (!text && p.fold) foldMark(p, part, indent);
    text += (text ? " " : "") + next;
  }
  emit(p, indent, text);
}

// Where a frame stands is told beside the text: its own walker has its words.
function printFrame(p, part, indent) {
  if (p.fold) foldMark(p, part, indent);
  emit(p, indent, FRAME);
  noteControls(p, [part]);
  p.frames.push({ line: p.out.length - 1, key: part.key });
}

const FRAME = "frame";

function printLine(p, part, indent) {
  if (part.kind === "frame") {
    printFrame(p, part, indent);
    return;
  }
  if (part.kind === "heading") under = rowLabel([part]);
  const text = p.options.interactive ? lineControls(p, part) : lineText(part, p.options);
  if (!text && (p.options.interactive || part.kind !== "pre")) {
    if (part.kind === "heading") pendHeading(p, part, indent);
    return;
  }
  if (p.fold) foldMark(p, part, indent);
  if (p.options.interactive && part.kind === "heading") p.heads = p.heads.filter((head) => !isTitle(head));
  emit(p, indent, text);
  if (p.options.interactive) noteControls(p, p.shown);
}

// In the list of controls a heading is worth its line only if controls follow.
function pendHeading(p, part, indent) {
  while (p.heads.length && isTitle(p.heads[p.heads.length - 1])) p.heads.pop();
  const words = { ...part, segs: part.segs.filter((seg) => typeof seg === "string") };
  if (words.segs.length) p.heads.push(indent + shorten(lineText(words, p.options), TITLE_LIMIT));
}

function isTitle(head) {
  return /^\s*#/.test(head);
}

function printBlock(p, part, indent, level, skip) {
  const title = safe(part.head);
  const deep = p.options.depth > 0 && level >= p.options.depth;
  if (deep && part.rows > 3 && (part.head || part.kind !== "plain" || level > p.options.depth + 1)) {
    emit(p, indent, (title ? title + ": " : "") + safe(summary(part)));
    return;
  }
  const tail = part.tail ? itemText(part.tail, p.options, false) : "";
  if (part.head || tail) {
    const before = p.out.length;
    const heads = p.heads.length;
    p.heads.push(indent + (title ? (title + ":").replace(VOICE, "\\") : "") + (title && tail ? " " : "") + tail + (title ? "" : ":"));
    printParts(p, part.lines, indent + " ", level + 1, skip);
    if (tail && p.out.length === before) emit(p, "", p.heads.pop().trimStart());
    else if (p.out.length === before) p.heads.length = heads;
    return;
  }
  if (part.kind === "li" && !p.options.interactive) {
    const from = p.out.length;
    printParts(p, part.lines, indent + " ", level + 1, skip);
    if (p.out.length > from) bullet(p.out, from, indent);
    return;
  }
  const before = p.out.length;
  const heads = p.heads.length;
  printParts(p, part.lines, indent, level + (part.kind === "plain" ? 0 : 1), skip);
  // A heading has nothing to say of what stands outside its block.
  if (p.heads.length) p.heads.length = p.out.length === before ? Math.min(heads, p.heads.length) : 0;
}

function bullet(out, from, indent) {
  for (let i = from; i < out.length; i++) {
    if (!out[i].startsWith(indent + " ") || out[i].startsWith("---")) continue;
    out[i] = indent + "- " + out[i].slice(indent.length + 1);
    return;
  }
}

// What a depth limit leaves out, in one line.
function summary(part) {
  const first = [];
  let controls = 0;
  eachSeg([part], (seg) => {
    if (typeof seg !== "string") controls++;
    const text = typeof seg === "string" ? clean(seg) : seg.name;
    if (text && first.join("; ").length < 60) first.push(shorten(text, 30));
  });
  return part.rows + " lines, " + controls + " controls: " + first.join("; ") + "…";
}

// ---- the fold ----

function foldState() {
  const root = document[DOM.scrollingElement] || document[DOM.documentElement];
  if (root[DOM.scrollHeight] <= innerHeight + 40) return null;
  return { now: "in", marks: 0, skipped: 0 };
}

function foldMark(p, part, indent) {
  // A line of what stands loose in a block has the element of the block, which may begin far above.
  const item = part.segs.find((seg) => typeof seg !== "string");
  const el = item ? item.el : part.el;
  if (!el || p.fold.marks > 8) return;
  if (p.fold.now !== "in" && part.kind !== "heading" && ++p.fold.skipped % 4) return;
  const box = el[DOM.getBoundingClientRect]();
  if (box.width + box.height === 0) return;
  const next = box.top >= innerHeight ? "below" : box.bottom <= 0 ? "above" : "in";
  if (next === p.fold.now) return;
  p.fold.now = next;
  p.fold.marks++;
  p.out.push("--- " + (next === "in" ? "in view" : next === "below" ? "below the fold" : "above") + " ---");
}
