// Owns: the flat tree (open and adopted closed shadow roots, slots), the record
// kept on each node, and what the eye can see of an element.
// Refuses: roles, names and any wording.

// A form answers with its fields, and a document with its forms, before it
// answers with what every element has: <input name=localName> is enough. Names
// that are symbols cannot be taken, so what the walker reads of elements has one.
const BUILT_INS = ("activeElement adoptedStyleSheets append assignedSlot attributes body checkVisibility childElementCount " +
  "childNodes children className clientHeight clientLeft clientTop clientWidth closest contains " +
  "createElement createTreeWalker documentElement draggable elementFromPoint evaluate firstChild firstElementChild " +
  "getAnimations getAttribute getBoundingClientRect getElementById getElementsByTagName getRootNode hasAttribute " +
  "hasAttributes id innerText isConnected isContentEditable localName matches namespaceURI " +
  "nextElementSibling nextSibling nodeType offsetHeight offsetWidth parentElement parentNode " +
  "previousElementSibling previousSibling querySelector querySelectorAll scrollBy scrollHeight " +
  "scrollIntoView scrollLeft scrollTo scrollTop scrollWidth scrollingElement shadowRoot styleSheets tabIndex " +
  "textContent title").split(" ");
const DOM = {};
for (const kind of [Node, Element, HTMLElement, SVGElement, MathMLElement, Document, DocumentFragment, ShadowRoot, CharacterData, Text]) {
  for (const name of BUILT_INS) {
    const meant = Object.getOwnPropertyDescriptor(kind.prototype, name);
    if (meant) Object.defineProperty(kind.prototype, (DOM[name] ??= Symbol(name)), meant);
  }
}

// A record hangs on the element as an expando. The walker lives in an isolated
// world, so the page cannot see it; reading it is several times faster than a
// WeakMap lookup.
const RECORD = Symbol("record");
const CLEAN = 0;
const BELOW = 1;
const SELF = 2;

function recOf(el) {
  let rec = el[RECORD];
  if (rec === undefined) {
    rec = {
      ref: 0, dirty: SELF, ctx: -1, epoch: 0, flow: null, up: null, el: null, item: null, look: null,
      root: null, examined: false, frameKey: null, listens: false, label: null, popup: null, at: 0,
    };
    el[RECORD] = rec;
  }
  return rec;
}

function shadowOf(el) {
  const open = el[DOM.shadowRoot];
  if (open) return open;
  const rec = el[RECORD];
  return rec === undefined ? null : rec.root;
}

// Children in the flat tree. Most elements are neither hosts nor slots, so the
// common case only follows sibling pointers.
function childrenOf(el) {
  const root = shadowOf(el);
  const out = [];
  if (!root && el[DOM.localName] === "slot") {
    const assigned = assignedTo(el);
    if (assigned.length) return assigned;
  }
  for (let n = (root || el)[DOM.firstChild]; n; n = n[DOM.nextSibling]) {
    const type = n[DOM.nodeType];
    if (type === 1 || type === 3) out.push(n);
  }
  return out;
}

// assignedNodes() works for slots of closed roots too, once one holds the slot.
function assignedTo(slot) {
  return slot.assignedNodes ? slot.assignedNodes() : [];
}

function parentOf(node) {
  const slot = node[DOM.assignedSlot] || closedSlotOf(node);
  if (slot) return slot;
  const parent = node[DOM.parentNode];
  if (!parent) return null;
  if (parent[DOM.nodeType] === 1) return parent;
  return parent[DOM.nodeType] === 11 && parent.host ? parent.host : null;
}

// assignedSlot is null for closed roots; the adopted root is searched instead.
function closedSlotOf(node) {
  const parent = node[DOM.parentNode];
  const rec = parent && parent[RECORD];
  if (!rec || !rec.root || parent[DOM.shadowRoot]) return null;
  for (const slot of rec.root[DOM.querySelectorAll]("slot")) {
    if (assignedTo(slot).includes(node)) return slot;
  }
  return null;
}

// ids are looked up in the tree scope that the reference stands in.
function byId(el, id) {
  const root = el[DOM.getRootNode]();
  return root[DOM.getElementById] ? root[DOM.getElementById](id) : document[DOM.getElementById](id);
}

function idRefs(el, attribute) {
  const value = el[DOM.getAttribute](attribute);
  if (!value) return [];
  const out = [];
  for (const id of value.split(/\s+/)) {
    const found = id && byId(el, id);
    if (found) out.push(found);
  }
  return out;
}

// Every shadow root that a walk has met, the document first.
const scopes = new Set([document]);

function allRoots() {
  const out = [];
  for (const root of scopes) {
    if (root === document || root[DOM.isConnected]) out.push(root);
    else scopes.delete(root);
  }
  return out;
}

// On the page and not hidden, drawn already or put off until it is scrolled to. What has no box of its
// own (display: contents) is there when its parent is.
function isRendered(el) {
  if (el[DOM.checkVisibility]({ visibilityProperty: true })) return true;
  const style = getComputedStyle(el);
  const parent = style.display === "contents" && style.visibility === "visible" ? parentOf(el) : null;
  return parent !== null && isRendered(parent);
}

const SEEN_CLEARLY = { visibilityProperty: true, opacityProperty: true };

// What a person could see and point at: rendered, not transparent, with an area.
function isVisible(el) {
  if (!el || !el[DOM.isConnected]) return false;
  if (!el[DOM.checkVisibility](SEEN_CLEARLY)) {
    return getComputedStyle(el).display === "contents" && [...el[DOM.children]].some(isVisible);
  }
  const box = el[DOM.getBoundingClientRect]();
  if (box.width > 0 && box.height > 0) return true;
  return box.width + box.height > 0 && el[DOM.childElementCount] > 0
    ? [...el[DOM.children]].some(isVisible)
    : false;
}

function boxOf(el) {
  const r = el[DOM.getBoundingClientRect]();
  return { x: tenth(r.x), y: tenth(r.y), width: tenth(r.width), height: tenth(r.height) };
}

function tenth(n) {
  return Math.round(n * 10) / 10;
}

// What is as faint as this, or as small, or as near to what is behind it, nobody reads.
const FAINT = 0.1;
const SMALLEST = 3;
const NEAR = 8;

// A page has few colours: each two are compared once.
const nearness = new Map();

function isNear(colour, other) {
  if (colour === other) return true;
  const pair = colour + other;
  let answer = nearness.get(pair);
  if (answer === undefined) {
    const parts = (text) => (text.match(/[\d.]+/g) || []).slice(0, 3).map(Number);
    const [a, b] = [parts(colour), parts(other)];
    answer = a.length === 3 && b.length === 3 && a.every((value, index) => Math.abs(value - b[index]) <= NEAR);
    nearness.set(pair, answer);
  }
  return answer;
}

// Why text inside an element is not for the eye: "" when it is.
// The cheap style reads come first; boxes are read only for suspects.
function concealed(el, style, position) {
  if (parseFloat(style.opacity) <= FAINT) return "transparent";
  const own = el[DOM.getAttribute]("style");
  if (own && /filter|transform|scale/i.test(own)) {
    // Reading these of every element would cost a third of a walk.
    if (/opacity\(0(\.0\d*)?%?\)/.test(style.filter)) return "transparent";
    const box = el[DOM.getBoundingClientRect]();
    if (box.width < 1 && box.height < 1 && el[DOM.offsetWidth] > 1) return "clipped";
  }
  if (position === "absolute" || position === "fixed") {
    const box = el[DOM.getBoundingClientRect]();
    if (box.right + scrollX <= 0 || box.bottom + scrollY <= 0) return el[DOM.childNodes].length ? "off-screen" : "";
    if (position === "fixed" && (box.left >= innerWidth || box.top >= innerHeight)) return "off-screen";
    if (box.width <= 1 && box.height <= 1 && style.overflowX !== "visible") return "clipped";
    const clip = style.clipPath;
    if (clip !== "none" && /^inset\((50%|100%)/.test(clip)) return "clipped";
    if (/^rect\((0px|1px),? (0px|1px),? (0px|1px),? (0px|1px)\)$/.test(style.clip)) return "clipped";
  }
  return "";
}

// Text-level tricks: same colour as what is behind it, no size, pushed out of its box.
function inkless(el, style, colour) {
  if (el[DOM.hasAttributes]() && (parseFloat(style.fontSize) < SMALLEST || parseFloat(style.textIndent) < -200)) return true;
  if (alphaOf(colour) <= FAINT) return style.webkitTextFillColor === colour && !clipsText(el);
  return isNear(colour, backdropOf(el, style));
}

function clipsText(el) {
  for (let n = el, i = 0; n && i < 3; n = parentOf(n), i++) {
    if (getComputedStyle(n).webkitBackgroundClip === "text") return true;
  }
  return false;
}

function alphaOf(colour) {
  if (!colour.startsWith("rgba")) return 1;
  const m = /([\d.]+)\)$/.exec(colour);
  return m ? parseFloat(m[1]) : 1;
}

// The first opaque background behind an element, or "" where that cannot be
// said. Kept on the record, so a page costs one read per element.
function backdropOf(el, style) {
  const way = [];
  let found = "rgb(255, 255, 255)";
  for (let n = el; n; n = parentOf(n)) {
    const rec = recOf(n);
    if (rec.backdropAt === epoch) {
      found = rec.backdrop;
      break;
    }
    way.push(rec);
    const own = ownBackdrop(n === el && style ? style : getComputedStyle(n));
    if (own !== null) {
      found = own;
      break;
    }
  }
  for (const rec of way) {
    rec.backdrop = found;
    rec.backdropAt = epoch;
  }
  return found;
}

function ownBackdrop(style) {
  const colour = style.backgroundColor;
  const alpha = alphaOf(colour);
  if (alpha === 1) return style.backgroundImage === "none" ? colour : "";
  if (alpha > 0 || style.backgroundImage !== "none") return "";
  return style.position === "absolute" || style.position === "fixed" ? "" : null;
}

function isScrollable(el, style) {
  const over = el[DOM.scrollHeight] - el[DOM.clientHeight];
  if (over > 8 && el[DOM.clientHeight] > 30 && /auto|scroll/.test(style.overflowY)) return true;
  const wide = el[DOM.scrollWidth] - el[DOM.clientWidth];
  return wide > 8 && el[DOM.clientWidth] > 60 && el[DOM.clientHeight] > 20 && /auto|scroll/.test(style.overflowX);
}

function focusedElement() {
  let el = document[DOM.activeElement];
  while (el) {
    const root = shadowOf(el);
    const inner = root && root[DOM.activeElement];
    if (!inner) break;
    el = inner;
  }
  return el === document[DOM.body] || el === document[DOM.documentElement] ? null : el;
}

// Closed shadow roots cannot be seen from here: these elements may have one.
const HOSTS = new Set(("article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p " +
  "section span").split(" "));
let waiting = new Set();

function mayHost(el, tag, kids) {
  if (el[DOM.shadowRoot]) return false;
  const rec = recOf(el);
  if (rec.examined) return false;
  if (tag.includes("-")) return true;
  if (!HOSTS.has(tag)) return false;
  for (const kid of kids) if (kid[DOM.nodeType] === 1 || kid.data.trim()) return false;
  return el[DOM.offsetWidth] > 0 && el[DOM.offsetHeight] > 0;
}

function candidates() {
  const out = [];
  for (const el of waiting) {
    if (!el[DOM.isConnected] || recOf(el).examined) waiting.delete(el);
    else if (out.length < 200) out.push(el);
  }
  return out;
}

// How many elements of the page as it is now may have one.
function hosts() {
  update(false);
  return { count: candidates().length };
}

function adoptRoot(host, root) {
  const rec = recOf(host);
  rec.examined = true;
  waiting.delete(host);
  if (!root) return;
  rec.root = root;
  watch(root);
  touch(host, SELF);
}

// Child frames are walked by their own walker; here only their place is known.
const frames = new Map();
const FRAMES = new Set(["iframe", "frame", "fencedframe"]);

function adoptFrame(el, key) {
  recOf(el).frameKey = String(key);
  frames.set(String(key), el);
  touch(el, SELF);
}

function showsFrame(el) {
  const box = el[DOM.getBoundingClientRect]();
  return box.width > 4 && box.height > 4 && isRendered(el);
}

// The content box in this frame's viewport; a plain scale is undone from the
// ratio of the drawn box to the laid-out one.
function frameBox(key) {
  const el = frames.get(String(key));
  if (!el || !el[DOM.isConnected]) return null;
  const box = el[DOM.getBoundingClientRect]();
  const style = getComputedStyle(el);
  const sx = el[DOM.offsetWidth] ? box.width / el.offsetWidth : 1;
  const sy = el[DOM.offsetHeight] ? box.height / el.offsetHeight : 1;
  const left = (el[DOM.clientLeft] + parseFloat(style.paddingLeft)) * sx;
  const top = (el[DOM.clientTop] + parseFloat(style.paddingTop)) * sy;
  const right = (el[DOM.offsetWidth] - el[DOM.clientWidth] - el[DOM.clientLeft] + parseFloat(style.paddingRight)) * sx;
  const bottom = (el[DOM.offsetHeight] - el[DOM.clientHeight] - el[DOM.clientTop] + parseFloat(style.paddingBottom)) * sy;
  return {
    x: box.x + left, y: box.y + top, width: box.width - left - right, height: box.height - top - bottom,
    scale: sx, visible: showsFrame(el) && isVisible(el),
  };
}
