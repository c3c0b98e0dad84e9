// Owns: what stands at a point of the window, as somebody who points there means it.
// Refuses: to scroll. The point is where it is.

// What is outside the window cannot be pointed at. A point in a frame is that frame's: here it is as the
// frame counts it.
function pointIn({ x, y }) {
  if (!inWindow(x, y)) return { outside: [innerWidth, innerHeight] };
  const hit = deepHit(x, y);
  if (!hit) return {};
  const key = recOf(hit).frameKey;
  if (!key) return FRAMES.has(hit[DOM.localName]) ? { closed: true } : {};
  const box = frameBox(key);
  const inner = { x: x - box.x, y: y - box.y };
  // Its border belongs to this document.
  if (inner.x < 0 || inner.y < 0 || inner.x >= box.width || inner.y >= box.height) return {};
  const scale = box.scale || 1;
  return { frame: Number(key), x: inner.x / scale, y: inner.y / scale };
}

// The control that a click there is for: an icon is its button, a word its link, also where a shadow root
// lies between them. Where there is no control, the innermost element.
function standsAt({ x, y }) {
  const hit = deepHit(x, y);
  if (!hit) return null;
  update(false);
  const around = (fits) => {
    for (let node = hit; node; node = parentOf(node)) if (fits(node)) return node;
    return null;
  };
  return around((node) => node[DOM.matches](NATIVE)) ?? around((node) => node[DOM.matches](CONTROLS))
    ?? around(isListed) ?? worded(hit);
}

// Whether snapshots list it as something to act on.
function isListed(node) {
  return node[RECORD]?.item?.el === node;
}

// Pictures of their own, which mean nothing but themselves.
const SELF_DRAWN = new Set(["canvas", "video", "embed", "object", "iframe", "frame", "fencedframe"]);
const FEW_WORDS = 80;

// Some pages listen for clicks far above what is clicked. An icon then means the words that it stands beside.
function worded(hit) {
  if (SELF_DRAWN.has(hit[DOM.localName])) return hit;
  for (let node = hit; node && node !== document[DOM.body]; node = parentOf(node)) {
    const words = nameOf(node) || clean(textOf(node));
    if (words) return words.length <= FEW_WORDS ? node : hit;
  }
  return hit;
}

// The one element at the point; where it was looked at before, only if it still is that one.
function pointed(target, need) {
  const el = standsAt(target.at);
  if (target.ref === undefined) return el ? { el } : { status: "missing", near: [] };
  if (el && nodeOf(target.ref) === retarget(el, need)) return { el };
  return { status: "error", error: { code: "changed", message: el ? describe(el) : "nothing" } };
}
