// Owns: the difference between two trees, worded: what opened, what was
// announced, what changed, came and went.
// Refuses: walking the page (change.js keeps the trees).

const ADDED_LIMIT = 60;
const REMOVED_LIMIT = 20;

// How the page was told before the last change.
let before = null;

// Lines of a change, with the places in them where a frame's own text belongs. What had changed before the
// action comes first, marked as that: it is not of its doing. Told again, it is told as a whole.
function change(options) {
  if (options.again && before) takeBack(before);
  before = told();
  const old = base;
  const oldFocus = baseFocus;
  const now = update(false);
  const earlier = old ? sayEarlier(old, now) : [];
  const own = sayChange(earlier.length ? armed.between : old ?? now, now);
  if (old) sayFocus(oldFocus, own.out);
  const ticks = isOfClocks(own.differ);
  const out = [...earlier, ...(ticks ? marked(own.out, "by itself") : own.out)];
  const frames = own.frames.map((place) => ({ ...place, line: place.line + earlier.length }));
  armed.between = null;
  setBase(now);
  const itself = ticks || (earlier.length > 0 && !own.out.length);
  return { ...changed(bounded({ out, frames }, now, options), own.shown), itself };
}

function sayChange(old, now) {
  const told = { out: [], frames: [], shown: [], differ: [] };
  if (old === now) return told;
  const diff = { removed: [], added: [] };
  const skip = new Set();
  if (old.popups.length || now.popups.length) sayPopups(old, now, told, skip);
  if (old.lives.length || now.lives.length) sayLives(old, now, told, skip);
  compare(old.lines, now.lines, diff, skip);
  sayLines(diff, told);
  return told;
}

// Where several actions are told of at once, all they did is one change, unless nothing came of the last.
function sayEarlier(old, now) {
  const { between } = armed;
  if (between === null || (unsaid && between !== now)) return [];
  const told = sayChange(old, between);
  return told.frames.length ? [] : marked(told.out, areClocks(told.differ) ? "by itself" : "earlier");
}

function marked(lines, how) {
  return lines.map((line) => line + " (" + how + ")");
}

function changed({ out, frames }, shown) {
  return { text: out.join("\n"), frames, shown, candidates: candidates().length, stir: stirs };
}

// A change longer than the page is told as the page. Where the page is large and the change small, that
// is not worth finding out.
function bounded(told, now, options) {
  if (told.out.length <= 3 || (told.out.length <= 30 && now.items.length > 100)) return told;
  const whole = printPage(now, {});
  const length = (lines) => lines.reduce((sum, line) => sum + line.length + 1, 0);
  if (length(whole.out) >= length(told.out)) return told;
  const frames = whole.frames.map((place) => ({ ...place, line: place.line + 1 }));
  return { out: [options.inner ? "frame now:" : "page now:", ...whole.out], frames };
}

// Popups of one list that the other does not have, by element.
function fresh(list, others) {
  const known = new Set(others.map((part) => part.el));
  return list.filter((part) => !known.has(part.el));
}

function sayPopups(old, now, { out, frames, shown, differ }, skip) {
  for (const part of fresh(now.popups, old.popups)) {
    differ.push(part);
    skip.add(part);
    const p = printer({});
    printBlock(p, part, "", 0, null);
    const kind = part.popup.kind === "popup" || part.popup.kind === "popover" ? "menu" : part.popup.kind;
    shown.push({ kind, text: p.out.join("\n").replace(/^(alert)?(dialog|menu|listbox|popup|popover)\b:? ?/, "") });
    for (const place of p.frames) if (place.line < 80) frames.push({ line: out.length + place.line, key: place.key });
    for (const text of p.out.slice(0, 80)) out.push("+ " + text);
    if (p.out.length > 80) out.push("+ … " + (p.out.length - 80) + " more lines");
  }
  for (const part of fresh(old.popups, now.popups)) {
    differ.push(part);
    skip.add(part);
    out.push("- " + safe(part.head || part.popup.kind) + " (closed)");
  }
}

function sayLives(old, now, { out, shown, differ }, skip) {
  const before = new Map(old.lives.map((part) => [part.el, lineText(part, {})]));
  for (const part of old.lives) skip.add(part);
  for (const part of now.lives) {
    skip.add(part);
    const text = lineText(part, {});
    if (before.get(part.el) === text) continue;
    differ.push(part);
    out.push(text);
    shown.push({ kind: part.live === "alert" ? "alert" : "toast", text: text.replace(PREFIX[part.kind] || "", "") });
  }
}

function sayFocus(oldFocus, out) {
  if (focusNow === oldFocus || !focusNow) return;
  const item = recOf(focusNow).item;
  if (!item || !FIELD_ROLES.has(item.role) || !recOf(focusNow).ref) return;
  if (out.length) return;
  out.push("~ " + itemShort(item) + ": focused");
}

// Lines that differ. Parts shared by both trees are the same object and cost nothing.
function compare(a, b, diff, skip) {
  if (a === b) return;
  let from = 0;
  while (from < a.length && from < b.length && a[from] === b[from]) from++;
  let endA = a.length;
  let endB = b.length;
  while (endA > from && endB > from && a[endA - 1] === b[endB - 1]) {
    endA--;
    endB--;
  }
  if (endA === from + 1 && endB === from + 1 && a[from].t === "l" && b[from].t === "l") {
    collect(b[from], diff.added, skip);
    collect(a[from], diff.removed, skip);
    return;
  }
  const oldParts = new Set(a.slice(from, endA));
  const newParts = new Set(b.slice(from, endB));
  const oldBlocks = new Map();
  for (const part of oldParts) if (part.t === "b" && !newParts.has(part)) oldBlocks.set(part.el, part);
  for (const part of newParts) {
    if (oldParts.has(part) || skip.has(part)) continue;
    const twin = part.t === "b" ? oldBlocks.get(part.el) : null;
    if (!twin) collect(part, diff.added, skip);
    else {
      oldBlocks.delete(part.el);
      oldParts.delete(twin);
      if (twin.head !== part.head && part.head) diff.added.push({ head: part.head, el: part.el });
      compare(twin.lines, part.lines, diff, skip);
    }
  }
  for (const part of oldParts) if (!newParts.has(part) && !skip.has(part)) collect(part, diff.removed, skip);
}

function collect(part, list, skip) {
  if (part.t === "l") {
    if (!skip.has(part)) list.push({ line: part, el: part.el });
  } else if (part.t === "b" && !skip.has(part)) {
    if (part.head) list.push({ head: part.head, el: part.el });
    for (const inner of part.lines) collect(inner, list, skip);
  }
}

function entryText(entry) {
  if (entry.head) return safe(entry.head) + ":";
  return entry.line.kind === "frame" ? FRAME + "\u0002" + entry.line.key : lineText(entry.line, {});
}

// What is in both lists was only redrawn or moved. What shares its element or an item was changed.
function sayLines(diff, { out, frames, differ }) {
  const gone = new Map();
  for (const entry of diff.removed) {
    entry.text = entryText(entry);
    gather(gone, entry.text, entry);
  }
  const came = [];
  for (const entry of diff.added) {
    entry.text = entryText(entry);
    const twin = gone.get(entry.text);
    if (twin && twin.length) twin.pop().same = true;
    else if (entry.text) came.push(entry);
  }
  const left = diff.removed.filter((entry) => !entry.same && entry.text);
  const known = segKeys(left);
  const after = segKeys(came);
  keepIf(came, (entry) => !regrouped(entry, known));
  const pairs = pairUp(left, came);
  keepIf(left, (entry) => entry.paired || !regrouped(entry, after));
  differ.push(...came, ...left);
  let plus = 0;
  for (const entry of came) {
    const twin = pairs.get(entry);
    if (twin) sayChanged(twin, entry, known, out);
    else if ((entry.line || plus < 3) && ++plus <= ADDED_LIMIT) {
      const frame = entry.line && entry.line.kind === "frame";
      if (frame) frames.push({ line: out.length, key: entry.line.key });
      out.push("+ " + (frame ? FRAME : entry.text));
    }
  }
  if (plus > ADDED_LIMIT) out.push("+ … " + (plus - ADDED_LIMIT) + " more lines");
  sayRemoved(left.filter((entry) => !entry.paired && entry.line), out);
}

function keepIf(list, test) {
  let kept = 0;
  for (const entry of list) if (test(entry)) list[kept++] = entry;
  list.length = kept;
}

// A line that was only split or joined says nothing new.
function regrouped(entry, keys) {
  if (!entry.line || entry.line.kind !== "p") return false;
  return entry.line.segs.every((seg) => keys.has(segKey(seg)));
}

function segKeys(entries) {
  const keys = new Set([""]);
  for (const entry of entries) if (entry.line) for (const seg of entry.line.segs) keys.add(segKey(seg));
  return keys;
}

function segKey(seg) {
  return typeof seg === "string" ? seg.trim() : refKey(seg) + seg.key;
}

function refKey(item) {
  const rec = recOf(item.el);
  return "e" + (rec.ref || rec.wasRef || 0) + "\u0002";
}

function sayRemoved(gone, out) {
  for (const entry of gone.slice(0, REMOVED_LIMIT)) {
    out.push("- " + (entry.line.kind === "frame" ? FRAME : shorten(entry.text, 120)));
  }
  if (gone.length > REMOVED_LIMIT) out.push("- … " + (gone.length - REMOVED_LIMIT) + " more lines");
}

function keysOf(entry) {
  const keys = [];
  if (entry.line && entry.line.kind === "frame") return keys;
  if (entry.line) for (const seg of entry.line.segs) if (typeof seg !== "string") keys.push(recOf(seg.el).ref || recOf(seg.el).wasRef);
  if (entry.el && entry.line) keys.push(entry.el);
  return keys;
}

function pairUp(left, came) {
  const owner = new Map();
  for (const entry of left) for (const key of keysOf(entry)) owner.set(key, owner.has(key) && typeof key !== "number" ? null : entry);
  const pairs = new Map();
  for (const entry of came) {
    for (const key of keysOf(entry)) {
      const twin = owner.get(key);
      if (!twin || twin.paired) continue;
      twin.paired = true;
      pairs.set(entry, twin);
      break;
    }
  }
  return pairs;
}

function sayChanged(before, after, known, out) {
  const moved = itemChanges(before.line, after.line, known);
  if (moved) {
    for (const text of moved) out.push("~ " + text);
    return;
  }
  const was = shorten(before.text.replace(/ e\d+(?=[\]>) ])/g, ""), 80);
  out.push("~ " + after.text + (before.text.length <= 80 && !before.line.segs.some((seg) => typeof seg !== "string") ? " (was: " + was + ")" : ""));
}

// If two lines differ only in what their items say of themselves, just that.
function itemChanges(before, after, known) {
  const olds = new Map();
  const words = new Set([""]);
  for (const seg of before.segs) {
    if (typeof seg === "string") words.add(seg.trim());
    else olds.set(refKey(seg), seg);
  }
  const out = [];
  for (const seg of after.segs) {
    if (typeof seg === "string") {
      if (!words.has(seg.trim())) return null;
      continue;
    }
    const old = olds.get(refKey(seg));
    if (!old && known.has(segKey(seg))) continue;
    if (!old || old.role !== seg.role || old.name !== seg.name || old.aria !== seg.aria) return null;
    olds.delete(refKey(seg));
    if (old.key !== seg.key) out.push(itemShort(seg) + ": " + difference(old, seg));
  }
  if (after.kind !== "p" && olds.size) return null;
  return out.length ? out : null;
}

function itemShort(item) {
  return itemText({ ...item, states: "", value: "", extra: "", tail: false }, {}, true).replace(/ focused(?=[\]>])/, "");
}

const OPPOSITES = { checked: "unchecked", selected: "not selected", expanded: "collapsed", pressed: "not pressed", disabled: "enabled" };

function difference(a, b) {
  const out = [];
  if (a.states !== b.states) out.push(...stateChanges(stateSet(a.states), stateSet(b.states)).map(safe));
  if (a.value !== b.value) out.push((a.value ? valueText(a) : "empty") + " → " + (b.value ? valueText(b) : "empty"));
  if (a.extra !== b.extra && b.extra) out.push(safe(b.extra));
  return out.join("; ") || "changed";
}

// What came in place of what, then what came, then what went.
function stateChanges(old, now) {
  const went = [...old].filter((state) => !now.has(state));
  const out = [];
  for (const state of now) {
    if (old.has(state)) continue;
    const at = went.findIndex((other) => OPPOSITES[other] === state || OPPOSITES[state] === other || firstWord(other) === firstWord(state));
    const before = at >= 0 ? went.splice(at, 1)[0] : OPPOSITES[state];
    out.push(before ? before + " → " + state : "now " + state);
  }
  for (const state of went) out.push(OPPOSITES[state] ? state + " → " + OPPOSITES[state] : "no longer " + firstWord(state));
  return out;
}

function firstWord(state) {
  return state.split(" ", 1)[0];
}

function stateSet(states) {
  return new Set(states.match(/invalid \(.*\)|\S+/g) || []);
}
