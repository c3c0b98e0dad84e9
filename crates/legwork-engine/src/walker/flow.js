// Owns: turning an element into its flow, an immutable list of pieces (text,
// items, breaks, lines, blocks), kept on the element and reused while nothing
// below it changed.
// Refuses: printing, refs, and deciding what changed.

// Pieces: a string, an item {t:"i"}, BREAK, a line {t:"l"}, a block {t:"b"}.
const NOTHING = [];
const BREAK = { t: "n" };
const BREAKS = [BREAK];

// What the surroundings decide for an element; part of the cache key.
const CONCEALED = 1;
const PRE = 2;
const POINTER = 4;
const CARD = 8;
const INROW = 16;
const COVERED = 32;
const MAX_DEPTH = 1000;

let epoch = 1;
let visited = [];

function flowOf(el, ctx, depth) {
  const rec = recOf(el);
  const same = rec.epoch === epoch && rec.ctx === ctx && rec.flow !== null;
  if (same && rec.dirty === CLEAN) return rec.flow;
  const self = !same || rec.dirty === SELF;
  rec.dirty = CLEAN;
  rec.ctx = ctx;
  rec.epoch = epoch;
  if (rec.el === null) {
    rec.el = el;
    visited.push(el);
  }
  const made = depth > MAX_DEPTH ? deepFlow(el, ctx, rec) : makeFlow(el, rec, ctx, depth, self);
  rec.flow = reuse(rec.flow, made);
  return rec.flow;
}

// Deeper than anything a person wrote: taken as plain text and its controls.
function deepFlow(el, ctx, rec) {
  rec.look = { display: "block", block: true, svg: false, shown: true, role: "generic", concealed: "", ink: "", drawing: false };
  if (ctx & (CONCEALED | COVERED)) return NOTHING;
  const out = [];
  const text = clean(el[DOM.textContent] || "");
  if (text) out.push(shorten(text, 2000));
  for (const control of [...el[DOM.querySelectorAll]("a[href], button, input, select, textarea")].slice(0, 200)) {
    if (isRendered(control) && control.type !== "hidden") out.push(makeItem(control, roleOf(control), null));
  }
  return out;
}

// Keeps old pieces, and the old list itself, where they say the same.
function reuse(old, made) {
  if (old === null || old === made) return made;
  let same = old.length === made.length;
  const n = Math.min(old.length, made.length);
  for (let i = 0; i < n; i++) {
    const a = old[i];
    const b = made[i];
    if (a === b) continue;
    if (typeof a !== "string" && typeof b !== "string" && samePiece(a, b)) made[i] = a;
    else same = false;
  }
  return same ? old : made;
}

function samePiece(a, b) {
  if (a.t !== b.t || a.el !== b.el) return false;
  if (a.t === "l") return a.kind === b.kind && a.level === b.level && a.key === b.key && sameList(a.segs, b.segs);
  if (a.t === "b") return a.kind === b.kind && a.head === b.head && a.popup === b.popup && sameList(a.lines, b.lines);
  return a.t === "i" ? a === b : true;
}

function sameList(a, b) {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

const SKIPPED = new Set(("script style template noscript head meta link title param source track datalist base colgroup " +
  "defs clippath lineargradient radialgradient symbol filter marker pattern mask desc metadata").split(" "));

// What the eye sees of one element, read once per visit.
function lookAt(el, tag, ctx, up) {
  const style = getComputedStyle(el);
  const display = style.display;
  if (display === "none") return null;
  const svg = tag !== "svg" && Boolean(up && up.look && (up.look.svg || up.look.drawing)) && tag !== "foreignObject";
  const block = !display.startsWith("inline") && display !== "contents" && display !== "ruby" && !svg;
  const look = {
    display, block, svg, pointer: style.cursor === "pointer", shown: style.visibility === "visible", flexRow: false,
    concealed: "", cuts: false, scroll: false, role: roleOf(el), ink: "", position: "", inkless: false,
    drawing: tag === "svg",
  };
  const marked = el[DOM.hasAttributes]();
  if (marked && block && style.contentVisibility === "hidden") return null;
  const position = block || marked ? style.position : "";
  if (marked) look.concealed = concealed(el, style, position);
  if (block) {
    look.position = position;
    if (display === "flex" || display === "inline-flex") look.flexRow = style.flexDirection.startsWith("row");
    if (el[DOM.firstChild] && tag !== "body" && tag !== "html") boxLook(el, style, look);
  }
  if (ownText(el)) checkInk(el, style, look, up);
  return look;
}

// A box that cuts off what does not fit: nothing to see, or something to scroll.
function boxLook(el, style, look) {
  if (style.overflowX === "visible") return;
  look.cuts = true;
  if (el[DOM.clientHeight] <= 1 || el[DOM.clientWidth] <= 1) {
    const drawn = el[DOM.offsetHeight] + el[DOM.offsetWidth] > 0 || el[DOM.checkVisibility]({ contentVisibilityAuto: true });
    if (!look.concealed && drawn) look.concealed = "clipped";
  } else look.scroll = isScrollable(el, style);
}

function ownText(el) {
  for (let n = el[DOM.firstChild]; n; n = n[DOM.nextSibling]) if (n[DOM.nodeType] === 3 && n.length > 1) return true;
  return false;
}

// Text in its parent's colour is as readable as the parent's text; only a change is examined.
function checkInk(el, style, look, up) {
  look.ink = style.color;
  const above = up && up.look ? up.look.ink : "";
  if (above === look.ink && !el[DOM.hasAttributes]()) {
    look.inkless = up.look.inkless;
    return;
  }
  if (!look.block && !el[DOM.hasAttribute]("style")) {
    let ground = up;
    while (ground && !(ground.look && ground.look.block && ground.el)) ground = ground.up;
    if (ground && !isNear(backdropOf(ground.el), look.ink) && alphaOf(look.ink) > FAINT && parseFloat(style.fontSize) >= SMALLEST) return;
  }
  look.inkless = inkless(el, style, look.ink);
}

function makeFlow(el, rec, ctx, depth, self) {
  const tag = el[DOM.localName];
  if (SKIPPED.has(tag)) return NOTHING;
  if (tag === "br" || tag === "hr") return BREAKS;
  if (self) rec.look = lookAt(el, tag, ctx, rec.up);
  const look = rec.look;
  if (look === null) return NOTHING;
  if (look.concealed) {
    ctx |= CONCEALED;
    suspects.add(el);
  }
  if (el[DOM.id] && look.role !== "heading" && labelIds().has(el[DOM.id])) ctx |= COVERED;
  const leaf = leafFlow(el, tag, look, ctx, rec);
  if (leaf !== null) return leaf;
  if (tag === "label") return labelFlow(el, rec, look, ctx, depth);
  const shown = itemRole(el, look.role, look, ctx);
  if (shown && look.shown && !hopeless(el, look, ctx)) return itemFlow(el, rec, look, ctx, depth, shown);
  const inner = kidsFlow(el, rec, look, ctx, depth);
  return compose(el, rec, look, inner, ctx);
}

// ids of texts that name a field by aria-labelledby: the field says them.
const labelIds = perShape(() => {
  const labelling = new Set();
  for (const root of allRoots()) {
    for (const el of root[DOM.querySelectorAll]("[aria-labelledby]")) {
      if (!FIELD_ROLES.has(roleOf(el)) && el[DOM.localName] !== "input") continue;
      for (const id of el[DOM.getAttribute]("aria-labelledby").split(/\s+/)) labelling.add(id);
    }
  }
  return labelling;
});

// Controls that nobody can reach are left out. Transparent fields stay: pages lay them over a drawn one.
function hopeless(el, look, ctx) {
  if (ctx & CONCEALED) {
    if (look.concealed === "transparent" || look.concealed === "clipped") return el[DOM.localName] !== "input" && el[DOM.localName] !== "select";
    return true;
  }
  return false;
}

function leafFlow(el, tag, look, ctx, rec) {
  switch (tag) {
    case "iframe": case "frame": case "fencedframe": return frameFlow(el, rec);
    case "input":
      if (el.type === "hidden" || !look.shown || hopeless(el, look, ctx)) return NOTHING;
      fields.add(el);
      return [makeItem(el, itemRole(el, look.role, look, ctx) || look.role, look)];
    case "select": case "textarea":
      if (!look.shown || hopeless(el, look, ctx)) return NOTHING;
      fields.add(el);
      return [makeItem(el, look.role, look)];
    case "img": case "picture": case "canvas": case "video": case "audio": case "object": case "embed":
      return tag === "picture" || !look.shown || look.concealed ? null : mediaFlow(el, tag, look, ctx);
    case "progress": case "meter": return [look.role + " " + (nameOf(el) || "") + " " + valueOf(el, look.role)];
    default: return null;
  }
}

function frameFlow(el, rec) {
  if (!showsFrame(el)) return NOTHING;
  if (!rec.frameKey) {
    const title = el[DOM.getAttribute]("title");
    return [line(el, "p", ["(frame" + (title ? " " + title : "") + ")"])];
  }
  return [{ ...line(el, "frame", NOTHING), key: Number(rec.frameKey) }];
}

function mediaFlow(el, tag, look, ctx) {
  const role = itemRole(el, look.role, look, ctx);
  if (role) return [makeItem(el, role, look)];
  if (ctx & (CONCEALED | COVERED)) return NOTHING;
  const name = nameOf(el);
  if (tag === "canvas") return el.width * el.height > 400 ? ["(canvas" + (name ? ": " + shorten(name, 80) : "") + ")"] : NOTHING;
  if (tag === "img") return name ? [" (img: " + shorten(name, 80) + ") "] : NOTHING;
  if (tag === "video" || tag === "audio") return ["(" + tag + (name ? ": " + shorten(name, 80) : "") + (el.paused ? "" : ", playing") + ")"];
  return null;
}

// A label's words are said by its field. Where the field itself is not drawn, the label stands for it.
function labelFlow(el, rec, look, ctx, depth) {
  const control = el.control;
  if (!control || ctx & CONCEALED) return compose(el, rec, look, kidsFlow(el, rec, look, ctx, depth), ctx);
  const look2 = getComputedStyle(control);
  if (look2.display === "none" || look2.visibility !== "visible") {
    if (control.type === "checkbox" || control.type === "radio" || control.type === "file") {
      fields.add(control);
      return [standIn(el, control, rec)];
    }
    return compose(el, rec, look, kidsFlow(el, rec, look, ctx, depth), ctx);
  }
  const covered = !control[DOM.hasAttribute]("aria-label") && !control[DOM.hasAttribute]("aria-labelledby") &&
    control[DOM.localName] !== "button" && el[DOM.textContent].length < NAME_LIMIT * 2;
  const inner = kidsFlow(el, rec, look, covered ? ctx | COVERED | POINTER : ctx | POINTER, depth);
  return compose(el, rec, look, inner, ctx);
}

function standIn(label, control, rec) {
  recOf(control).label = label;
  const role = roleOf(control);
  const made = makeItem(control, role, null);
  const name = made.name || shorten(clean(label[DOM.textContent]), NAME_LIMIT);
  if (rec.item && rec.item.key === made.key && rec.item.name === name) return rec.item;
  rec.item = { ...made, el: label, name, full: made.full || name };
  return rec.item;
}

// A control, with what is inside it: usually nothing more than its name.
function itemFlow(el, rec, look, ctx, depth, role) {
  if (FIELD_ROLES.has(role) || role === "listbox") {
    fields.add(el);
    if (role !== "combobox") return [makeItem(el, role, look)];
  }
  if (el[DOM.childElementCount] === 0 && !shadowOf(el)) return textItem(el, makeItem(el, role, look));
  const inner = kidsFlow(el, rec, look, ctx & ~CARD, depth);
  return wrapItem(el, makeItem(el, role, look), inner, look, role, ctx);
}

function textItem(el, item) {
  if (item.role === "link" && item.name.endsWith("…") && !item.aria) {
    return [clean(el[DOM.textContent]) + " ", tailed(item)];
  }
  return [item];
}

function tailed(item) {
  const rec = recOf(item.el);
  if (!rec.tail || rec.tail.key !== item.key) rec.tail = { ...item, tail: true };
  return rec.tail;
}

// Items inside an item, or much text: the content is shown and the item follows it.
function wrapItem(el, item, inner, look, role, ctx) {
  const sum = measure(inner);
  if (role === "combobox") return [item, ...itemsIn(inner)];
  const bare = role === "clickable" || role === "draggable";
  if (!sum.items) {
    if (bare && !item.name && !item.hint && !el[DOM.hasAttribute]("onclick") && !el[RECORD].listens && tiny(el)) return inner;
    return sum.text <= 120 && sum.lines <= 6 ? [item] : rowed(el, inner, tailed(item), ctx);
  }
  const words = sum.text > 1;
  if (sum.items === 1 && !words) {
    if (bare) return inner;
    if (sum.first.role === "clickable" || sum.first.name === item.name) return [item];
  }
  if (bare && sum.items > 6 && !el[DOM.hasAttribute]("onclick")) return compose(el, recOf(el), look, inner, ctx);
  return rowed(el, inner, tailed(item), ctx);
}

function tiny(el) {
  return el[DOM.offsetWidth] < 4 || el[DOM.offsetHeight] < 4;
}

function itemsIn(flow) {
  const out = [];
  eachSeg(flow, (seg) => {
    if (typeof seg !== "string" && seg.role !== "clickable") out.push(seg);
  });
  return out;
}

// Content, then its handle, on one line if it is short.
function rowed(el, inner, tail, ctx) {
  const lines = linesOf(inner, ctx & PRE, el);
  const joined = joinLines(el, lines, "row", [tail]);
  if (joined) return [joined];
  return [block(el, "clickable", "", lines, tail)];
}

// ---- children ----

function kidsFlow(el, rec, look, ctx, depth) {
  const root = shadowOf(el);
  if (root && !scopes.has(root)) watch(root);
  const tag = el[DOM.localName];
  let kids = childrenOf(el);
  if (tag === "details" && !el.open) kids = kids.filter((kid) => kid[DOM.localName] === "summary").slice(0, 1);
  if (mayHost(el, tag, kids)) waiting.add(el);
  let below = ctx & (CONCEALED | PRE | COVERED);
  if (look.pointer) below |= POINTER;
  if (tag === "pre" || tag === "textarea") below |= PRE;
  if (look.flexRow) below |= INROW;
  const cards = below & PRE ? null : cardKinds(kids);
  const out = [];
  const silent = !look.shown || ctx & (CONCEALED | COVERED) || look.inkless;
  let at = 0;
  for (const kid of kids) {
    if (kid[DOM.nodeType] === 3) {
      if (!silent) pushText(out, kid.data, ctx & PRE || tag === "pre");
      continue;
    }
    const own = recOf(kid);
    own.up = rec;
    own.at = at++;
    const flow = flowOf(kid, cards && cards.has(kindOf(kid)) ? below | CARD : below, depth + 1);
    for (let i = 0; i < flow.length; i++) out.push(flow[i]);
  }
  return out;
}

// Things with an id of their own are not one of many, unless it is numbered.
function kindOf(el) {
  const id = el[DOM.id];
  if (id && !/\d/.test(id)) return "";
  return el[DOM.localName] + "." + (el[DOM.getAttribute]("class") || "");
}

const CARD_TAGS = new Set(["div", "article", "section", "a", "label", "p", "figure", "span"]);

// Kinds of siblings that repeat, as cards and rows do.
function cardKinds(kids) {
  if (kids.length < 2) return null;
  let once = null;
  let twice = null;
  for (const kid of kids) {
    if (kid[DOM.nodeType] !== 1 || !CARD_TAGS.has(kid[DOM.localName])) continue;
    const kind = kindOf(kid);
    if (!kind) continue;
    if (once === null) once = new Set();
    if (once.has(kind)) (twice = twice || new Set()).add(kind);
    else once.add(kind);
  }
  return twice;
}

function pushText(out, data, pre) {
  if (!pre) {
    out.push(data);
    return;
  }
  const parts = data.split("\n");
  for (let i = 0; i < parts.length; i++) {
    if (i) out.push(BREAK);
    if (parts[i]) out.push(parts[i]);
  }
}
