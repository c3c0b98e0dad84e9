// Owns: knowing which parts of the page may have changed since the last walk,
// and saying the difference between two trees.
// Refuses: polling or timers; it looks only when asked.

// The page as it was last told.
let base = null;
let baseFocus = null;
let baseStirs = 0;
// Something was done since then that was not told.
let unsaid = false;
// When a script last set a style: what scripts animate announces itself in no other way.
let styledAt = -Infinity;
// How often the document changed; listeners come with such changes.
let stirs = 0;
// How often elements or attributes did, not words alone.
let shapes = 0;
const fields = new Set();
const suspects = new Set();
const observers = new Map();

// ---- dirt ----

function watch(root) {
  scopes.add(root);
  if (observers.has(root)) return;
  const observer = new MutationObserver(noteAll);
  observer.observe(root, { childList: true, attributes: true, characterData: true, subtree: true });
  observers.set(root, observer);
  shapes++;
}

function drain() {
  for (const [root, observer] of observers) {
    const records = observer.takeRecords();
    if (records.length) noteAll(records);
    if (root !== document && !root[DOM.isConnected]) {
      observer.disconnect();
      observers.delete(root);
      scopes.delete(root);
    }
  }
}

function noteAll(records) {
  stirs++;
  const more = isMoreThanTicks(records);
  const ids = new Set();
  let reshaped = false;
  for (const record of records) {
    if (record.attributeName === "style") noteStyled(record.target);
    const words = !reshapes(record);
    reshaped ||= !words;
    note(record, words, ids);
  }
  if (reshaped) shapes++;
  if (more) pulse();
  if (ids.size && ids.size < 60 && isLabelling()) {
    for (const id of ids) {
      for (const el of document[DOM.querySelectorAll]('[aria-labelledby~="' + CSS.escape(id) + '"]')) touch(el, SELF);
    }
  }
}

function note(record, words, ids) {
  const target = record.target;
  const el = target[DOM.nodeType] === 1 ? target : target[DOM.parentNode] && target[DOM.parentNode][DOM.nodeType] === 1 ? target[DOM.parentNode] : target.host;
  if (!el) return;
  const tag = el[DOM.localName];
  if (tag === "style" || tag === "link") epoch++;
  if (!words) {
    if (some(record.removedNodes, isElement)) removals = true;
    if (hasSheet(record.addedNodes) || hasSheet(record.removedNodes)) epoch++;
  }
  touch(el, words && keepsLook(el) ? BELOW : SELF);
  if (record.type === "attributes" && /^(class|style|hidden|open|inert)$/.test(record.attributeName)) touchBelow(el);
  for (let n = el, i = 0; n && i < 6; n = n[DOM.parentElement], i++) {
    if (n[DOM.id]) ids.add(n[DOM.id]);
    if (n[DOM.localName] === "label" && n.control) touch(n.control, SELF);
  }
}

// What was being styled shortly before an action goes on by itself.
function noteStyled(el) {
  styledAt = performance.now();
  const rec = recOf(el);
  const alone = !(rec.styled > armed.at - BY_ITSELF);
  if (armed.key !== null && alone && armed.styled.size < STYLED_LIMIT) armed.styled.add(el);
  rec.styled = styledAt;
}

const BY_ITSELF = 300;
const STYLED_LIMIT = 40;

// Other words in what is read already look as those before, unless they may make a box that cuts them off.
function keepsLook(el) {
  const { look } = recOf(el);
  return look !== null && look.ink !== "" && !look.inkless && !look.cuts && !look.concealed;
}

function reshapes(record) {
  if (record.type !== "childList") return record.type === "attributes";
  return some(record.addedNodes, isElement) || some(record.removedNodes, isElement);
}

function isElement(node) {
  return node[DOM.nodeType] === 1;
}

// Asks the document again only where elements or attributes changed since.
function perShape(ask) {
  let at = -1;
  let answer;
  return () => {
    if (at !== shapes) answer = ask();
    at = shapes;
    return answer;
  };
}

const isLabelling = perShape(() => document[DOM.querySelector]("[aria-labelledby]") !== null);

function some(nodes, fits) {
  for (let i = 0; i < nodes.length; i++) if (fits(nodes[i])) return true;
  return false;
}

function hasSheet(nodes) {
  return some(nodes, (node) => node[DOM.localName] === "style" || node[DOM.localName] === "link");
}

// Marks an element, and the way down to it.
function touch(el, level) {
  const rec = recOf(el);
  const marked = rec.dirty !== CLEAN && rec.flow !== null;
  if (rec.dirty < level) rec.dirty = level;
  if (marked) return;
  for (let n = parentOf(el); n; n = parentOf(n)) {
    const up = recOf(n);
    if (up.flow !== null && up.dirty !== CLEAN) return;
    if (up.dirty < BELOW) up.dirty = BELOW;
  }
}

// A class can restyle everything below. Small subtrees are read again; in big
// ones the sweep finds what appeared or vanished.
function touchBelow(el) {
  const below = el[DOM.getElementsByTagName]("*");
  if (below.length > 400) return;
  for (const kid of below) {
    const rec = kid[RECORD];
    if (rec !== undefined && rec.flow !== null) rec.dirty = SELF;
  }
}

// Things no mutation tells of: style rules that took effect (:hover, :checked,
// media), values typed or set by script, fields' states.
function sweep() {
  let kept = 0;
  for (let i = 0; i < visited.length; i++) {
    const el = visited[i];
    const rec = el[RECORD];
    if (!el[DOM.isConnected]) {
      rec.el = null;
      rec.epoch = 0;
      continue;
    }
    visited[kept++] = el;
    const look = rec.look;
    if (look !== null && look.display === "contents") continue;
    const seen = el[DOM.checkVisibility](SEEN);
    if (seen !== (look !== null && look.shown) && rec.epoch === epoch) restyled(el, rec, seen);
  }
  visited.length = kept;
  for (const el of fields) sweepField(el);
  for (const el of suspects) {
    if (!el[DOM.isConnected]) suspects.delete(el);
    else if (el[RECORD].look && !concealed(el, getComputedStyle(el), getComputedStyle(el).position)) {
      suspects.delete(el);
      touch(el, SELF);
    }
  }
}

const SEEN = { visibilityProperty: true };

function restyled(el, rec, seen) {
  if (SKIPPED.has(el[DOM.localName]) || el[DOM.localName] === "br" || el[DOM.localName] === "hr") return;
  const style = getComputedStyle(el);
  const shown = style.display !== "none" && style.visibility === "visible";
  if (shown === (rec.look !== null && rec.look.shown)) return;
  touch(el, SELF);
}

function sweepField(el) {
  if (!el[DOM.isConnected]) {
    fields.delete(el);
    return;
  }
  const state = fieldState(el);
  const rec = recOf(el);
  if (rec.state === state) return;
  const first = rec.state === undefined;
  rec.state = state;
  if (first && rec.dirty === CLEAN && rec.item && rec.item.key === makeItemKey(el, rec)) return;
  touch(el, SELF);
  if (rec.label) touch(rec.label, SELF);
}

function makeItemKey(el, rec) {
  const old = rec.item;
  const made = makeItem(el, old.role, rec.look);
  rec.item = old;
  return made.key;
}

function fieldState(el) {
  return (el[DOM.localName] === "select" ? el.selectedIndex + "," + el.selectedOptions.length : el[DOM.isContentEditable] ? "" : el.value) +
    "\u0002" + el.checked + el.indeterminate + el.disabled + el.readOnly + (el.willValidate ? el[DOM.matches](":user-invalid") : "");
}

function noteEvent(event) {
  const el = event.composedPath ? event.composedPath()[0] : event.target;
  if (el && el[DOM.nodeType] === 1) touch(el, SELF);
}

function listen() {
  watch(document);
  for (const type of ["input", "change", "toggle", "transitionend", "animationend", "close", "slotchange"]) {
    addEventListener(type, noteEvent, { capture: true, passive: true });
  }
  addEventListener("load", (event) => {
    if (event.target && event.target[DOM.localName] === "link") epoch++;
  }, { capture: true, passive: true });
}

function rebase() {
  setBase(update(false));
}

function setBase(now) {
  base = now;
  baseFocus = focusNow;
  baseStirs = walkedAt;
  unsaid = false;
  ticked.clear();
}

// What the next change is told from, to go back to where one was told too early.
function told() {
  return { base, baseFocus, baseStirs, unsaid, between: armed.between, clocks: [...ticked] };
}

function takeBack(kept) {
  ({ base, baseFocus, baseStirs, unsaid } = kept);
  armed.between = kept.between;
  for (const clock of kept.clocks) ticked.add(clock);
}

// The page before an action, where it is not as it was told any more.
function meanwhile() {
  drain();
  return base !== null && stirs !== baseStirs ? update(false) : null;
}
