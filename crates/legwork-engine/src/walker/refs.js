// Owns: the number an element keeps for life, and handing it on when a redraw
// replaced the element and role, name and place leave no doubt.
// Refuses: guessing. Two possible heirs mean none.

let nextRef = 1;
const byRef = new Map();
const lost = new Map();
const LOST_LIMIT = 20000;
let removals = true;
let batch = 0;

function refOf(el) {
  const rec = recOf(el);
  if (!rec.ref) give(el, rec, nextRef++);
  return "e" + rec.ref;
}

function give(el, rec, ref) {
  rec.ref = ref;
  byRef.set(ref, el);
}

// The element behind a ref, looked for again if a redraw took the old one.
function nodeOf(ref) {
  const n = Number(String(ref).replace(/^e/, ""));
  let el = byRef.get(n);
  if (el && el[DOM.isConnected]) return el;
  if (!el && !lost.has(n)) return null;
  removals = true;
  update(false);
  el = byRef.get(n);
  return el && el[DOM.isConnected] ? el : null;
}

// After a walk: bury the dead, let clear heirs inherit, number the rest in page order.
function settleRefs(items) {
  if (removals) bury();
  const fresh = [];
  for (const item of items) {
    const rec = recOf(item.el);
    if (!rec.ref) fresh.push(item);
    rec.sign = item.role + "\u0002" + (item.full || item.hint) + leadsTo(item);
  }
  if (!fresh.length) return;
  if (lost.size) {
    const sure = inherit(fresh, "strict") + inherit(fresh, "loose");
    if (sure) inheritLast(fresh);
  }
  for (const item of fresh) refOf(item.el);
}

// A link of the same words to another place is another link.
function leadsTo(item) {
  return item.role === "link" ? "\u0002" + (item.el[DOM.getAttribute]("href") || "") : "";
}

function bury() {
  removals = false;
  batch++;
  for (const [ref, el] of byRef) {
    if (el[DOM.isConnected]) continue;
    byRef.delete(ref);
    const rec = recOf(el);
    const keys = rec.sign ? placeKeys(rec, rec.sign) : { strict: "", loose: "", slot: "" };
    lost.set(ref, { ...keys, sign: rec.sign, batch });
    rec.wasRef = ref;
  }
  if (lost.size > LOST_LIMIT) {
    for (const ref of lost.keys()) {
      lost.delete(ref);
      if (lost.size <= LOST_LIMIT / 2) break;
    }
  }
}

function inherit(fresh, level) {
  const old = new Map();
  for (const [ref, keys] of lost) if (keys[level]) gather(old, keys[level], ref);
  const heirs = new Map();
  let given = 0;
  for (const item of fresh) {
    const rec = recOf(item.el);
    if (!rec.ref) gather(heirs, placeKeys(rec, rec.sign)[level], item.el);
  }
  for (const [key, els] of heirs) {
    const refs = old.get(key);
    if (!refs || refs.length !== 1 || els.length !== 1) continue;
    lost.delete(refs[0]);
    give(els[0], recOf(els[0]), refs[0]);
    given++;
  }
  return given;
}

// A list was redrawn and all rows but one were recognised: the last row, in the
// same place and differing in digits only, is the one whose number moved. A new
// page of rows never passes here, because then none is recognised.
function inheritLast(fresh) {
  const old = new Map();
  for (const [ref, keys] of lost) if (keys.batch === batch && keys.sign) gather(old, keys.sign, ref);
  const heirs = new Map();
  for (const item of fresh) {
    const rec = recOf(item.el);
    if (!rec.ref) gather(heirs, rec.sign, item.el);
  }
  for (const [sign, els] of heirs) {
    const refs = old.get(sign);
    if (!refs || refs.length !== 1 || els.length !== 1) continue;
    const slot = placeKeys(recOf(els[0]), sign).slot;
    if (!slot || slot !== lost.get(refs[0]).slot) continue;
    lost.delete(refs[0]);
    give(els[0], recOf(els[0]), refs[0]);
  }
}

function gather(map, key, value) {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

// Where a thing stands, in words. Records outlive their elements, so this works
// for what was removed. "strict" has the whole row, "loose" only its first words:
// a counter in the row may have moved on.
function placeKeys(rec, sign) {
  let strict = sign;
  let loose = sign;
  let slot = "";
  let rowed = false;
  let headed = false;
  for (let up = rec.up; up; up = up.up) {
    if (!up.look || !up.flow) continue;
    if (!rowed && isRowish(up)) {
      rowed = true;
      strict += "\u0002" + flowText(up.flow, 200);
      loose += "\u0002" + rowLabel(up.flow);
      slot = up.at + "\u0002" + flowText(up.flow, 200).replace(/\d+/g, "#");
    }
    const first = up.flow.length === 1 ? up.flow[0] : null;
    if (first && first.t === "b" && first.head) {
      strict += "\u0002" + first.head;
      loose += "\u0002" + first.head;
    } else if (!headed) {
      const title = firstHeading(up.flow);
      if (title) {
        headed = true;
        strict += "\u0002" + title;
        loose += "\u0002" + title;
      }
    }
  }
  return { strict, loose, slot };
}

const ROWISH = new Set(["listitem", "row", "article", "option", "treeitem", "layout row"]);

function isRowish(rec) {
  return ROWISH.has(rec.look.role) || (rec.ctx & CARD) !== 0;
}

// Text and link names; other controls are what the row is for, not what it is.
function flowText(flow, limit) {
  let out = "";
  eachSeg(flow, (seg) => {
    if (out.length > limit) return;
    if (typeof seg === "string") out += seg;
    else if (seg.role === "link") out += " " + seg.name + " ";
  });
  return clean(out).slice(0, limit);
}

function rowLabel(flow) {
  let label = "";
  eachSeg(flow, (seg) => {
    if (label) return;
    const text = typeof seg === "string" ? clean(seg.replace(/^[\s|·,-]+|[\s|·,-]+$/g, "")) : seg.role === "link" ? seg.name : "";
    if (/\p{L}\p{L}/u.test(text)) label = shorten(text, 50);
  });
  return label || shorten(flowText(flow, 50), 50);
}

function firstHeading(flow) {
  for (const piece of flow) {
    if (piece.t === "l" && piece.kind === "heading") return flowText([piece], 80);
    if (piece.t === "b" && piece.lines.length && piece.lines[0].kind === "heading") return flowText([piece.lines[0]], 80);
  }
  return "";
}

// The words that tell this thing from its likes: its row, else its group, dialog or section.
function contextOf(el) {
  const own = recOf(el);
  for (let up = own.up; up; up = up.up) {
    if (!up.look || !up.flow) continue;
    if (isRowish(up)) {
      const text = rowLabel(up.flow);
      if (text && text !== (own.item ? own.item.name : "")) return { kind: "row", text };
    }
    const first = up.flow.length === 1 ? up.flow[0] : null;
    if (first && first.t === "b" && first.head && /\s/.test(first.head)) return { kind: "in", text: first.head };
    const title = firstHeading(up.flow);
    if (title) return { kind: "under", text: shorten(title, 50) };
  }
  return null;
}

// One thing in words, for messages: button "Log in" e5 (row: Oat milk).
function describe(el) {
  const item = recOf(el).item;
  const role = item ? item.role : roleOf(el);
  const name = item ? item.name || item.hint : shorten(nameOf(el) || clean(el[DOM.textContent] || ""), 60);
  const word = role === "generic" || role === "none" ? el[DOM.localName] : role;
  const context = !name || isRepeated(item) || item?.aria ? contextOf(el) : null;
  return word + (name ? ' "' + safe(name) + '"' : "") + " " + refOf(el) + (context ? " (" + context.kind + ": " + safe(context.text) + ")" : "");
}

function isRepeated(item) {
  return Boolean(item) && (repeated.get(item.role + "\u0002" + item.full) || 0) > 1;
}
