// Owns: whether an element can be acted on now, and where a click reaches it.
// Refuses: to act.

// Finds the one element meant and says whether it can be acted on now.
function prepare({ target, need, key, position, listen }) {
  const found = target.at ? pointed(target, need) : single(target, need);
  if (found.status) return found;
  const el = retarget(found.el, need);
  const about = { ref: refOf(el), description: describe(el), field: actedState(el), kind: fieldKind(el) };
  // What a point hits is seen, however transparent it is.
  const blocked = obstacle(el, target.at ? { ...need, visible: false } : need);
  if (blocked) return { status: "blocked", ...about, ...blocked };
  let point = null;
  if (need.point) {
    point = target.at ?? aim(el, position);
    if (point.code) return { status: "blocked", ...about, ...point };
    if (moving(el) || drifting(el)) return { status: "blocked", ...about, code: "moving" };
  }
  const judged = need.facts || target.seal;
  if (judged && entersAnother(el, point, target.at)) return { status: "blocked", ...about, code: "framed" };
  const facts = judged ? factsOf(el, point) : undefined;
  if (target.seal && !isSealed(facts, target.seal)) {
    return { status: "error", error: { code: "changed", message: about.description } };
  }
  if (listen) {
    if (need.observe && base === null) rebase();
    arm({ key, ref: about.ref, aimed: need.point, held: true, between: need.observe && !need.facts ? meanwhile() : null });
    if (need.enabled && !need.facts) ownUntil = performance.now() + OWN;
    if (need.tell) tellAfter(need.tell, need.observe);
  }
  const known = need.known ? knownBy(el) : undefined;
  return { status: "ok", ...about, point, facts, known, floats: need.point && !need.facts && mindsPointer(el), hovered: need.point && el[DOM.matches](":hover") };
}

const FIXTURES = new Set(["button", "link", "textbox", "searchbox", "checkbox", "radio", "combobox", "switch", "slider", "spinbutton", "tab"]);

// Whether it is an entry of what floats above the page. Menus that open under a resting pointer do not count
// its first event as a movement: only the second one chooses.
function mindsPointer(el) {
  return !FIXTURES.has(roleOf(el)) && floats(el);
}

function single(target, need) {
  const answer = resolve(target);
  if (answer.error) return { status: "error", error: answer.error, near: answer.near ?? [] };
  let nodes = answer.nodes;
  if (nodes.length > 1) {
    const seen = nodes.filter((el) => isVisible(el));
    if (seen.length > 0) nodes = seen;
  }
  if (nodes.length > 1) nodes = mergeLabels(nodes, need);
  if (nodes.length === 0) return { status: "missing", near: nearMatches(target).map((one) => one.description) };
  if (nodes.length > 1) {
    return {
      status: "many", count: nodes.length, candidates: nodes.slice(0, 10).map((el) => describe(el)),
    };
  }
  return { el: nodes[0] };
}

// A label and its control, or an element and the one thing inside it, are one thing to act on.
function mergeLabels(nodes, need) {
  const merged = new Set(nodes.map((el) => retarget(el, need)));
  return [...merged].filter((el) => ![...merged].some((other) => other !== el && other.contains(el)
    && roleOf(other) && roleOf(other) !== "generic"));
}

// Typing into a label or a wrapper means the field it is for.
function retarget(el, need) {
  if (!need.field) return el;
  if (el.localName === "label" && el.control) return el.control;
  if (isField(el)) return el;
  const inner = el.querySelectorAll("input,textarea,select,[contenteditable=''],[contenteditable=true]");
  return inner.length === 1 ? inner[0] : el;
}

function isField(el) {
  return ["input", "textarea", "select"].includes(el.localName) || el.isContentEditable
    || ["textbox", "combobox", "searchbox", "checkbox", "radio", "switch", "slider", "spinbutton"]
      .includes(roleOf(el));
}

function fieldKind(el) {
  if (el.localName === "input") return el.type;
  if (el.localName === "textarea" || el.localName === "select") return el.localName;
  if (el.isContentEditable) return "contenteditable";
  return roleOf(el) || el.localName;
}

function obstacle(el, need) {
  if (!el.isConnected) return { code: "hidden", detail: "detached" };
  const fileField = el.localName === "input" && el.type === "file";
  if (need.visible && !fileField && !isVisible(el)) return { code: "hidden", detail: hiddenReason(el) };
  if (need.enabled && isDisabled(el)) return { code: "disabled" };
  if (need.editable && el.readOnly) return { code: "not_editable", detail: "read-only" };
  if (need.editable && !isEditable(el)) {
    return { code: "not_editable", detail: `it is a ${roleOf(el) || el.localName}` };
  }
  return null;
}

function isEditable(el) {
  if (el.localName === "input") {
    return !["button", "submit", "reset", "image", "hidden", "file"].includes(el.type);
  }
  return el.localName === "textarea" || el.localName === "select" || el.isContentEditable;
}

function hiddenReason(el) {
  const style = getComputedStyle(el);
  if (style.display === "none") return "display: none";
  if (style.visibility !== "visible") return `visibility: ${style.visibility}`;
  const box = el.getBoundingClientRect();
  if (box.width === 0 || box.height === 0) return "no size";
  if (style.opacity === "0") return "transparent";
  return "an ancestor is hidden";
}

// A point where a click reaches the element, scrolled into view if need be.
function aim(el, position) {
  const middle = position ? null : middleOf(el);
  if (middle) return middle;
  let rects = visibleRects(el);
  if (rects.length === 0) {
    el.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    rects = visibleRects(el);
  }
  if (rects.length === 0) {
    const box = el.getBoundingClientRect();
    if (box.width === 0 || box.height === 0) return { code: "hidden", detail: "no size" };
    return { code: "out_of_view" };
  }
  if (position) return aimAt(el, position);
  let cover = null;
  for (const { x, y } of samplePoints(rects)) {
    const hit = deepHit(x, y);
    if (hit && reaches(hit, el)) return { x, y };
    cover ??= hit;
  }
  return uncover(el, cover);
}

// The middle of the element, if a click there reaches it: then nothing cuts it off or covers it there.
function middleOf(el) {
  const box = el.getClientRects()[0];
  if (!box || box.width === 0 || box.height === 0) return null;
  const at = { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 };
  const hit = inWindow(at.x, at.y) ? deepHit(at.x, at.y) : null;
  return hit && reaches(hit, el) ? at : null;
}

function aimAt(el, position) {
  const box = el.getBoundingClientRect();
  const x = box.left + position.x;
  const y = box.top + position.y;
  const hit = deepHit(x, y);
  if (hit && reaches(hit, el)) return { x, y };
  return { code: "covered", detail: hit ? describe(hit) : "the edge of the window" };
}

// Sticky headers and the like cover things only where they are now: try another place once.
function uncover(el, cover) {
  for (const block of ["center", "end", "start"]) {
    el.scrollIntoView({ block, inline: "center", behavior: "instant" });
    for (const { x, y } of samplePoints(visibleRects(el))) {
      const hit = deepHit(x, y);
      if (hit && reaches(hit, el)) return { x, y };
    }
  }
  return { code: "covered", detail: cover ? describe(cover) : "the edge of the window" };
}

function samplePoints(rects) {
  const points = rects.map((r) => ({ x: (r.left + r.right) / 2, y: (r.top + r.bottom) / 2 }));
  for (const r of rects.slice(0, 4)) {
    for (const fx of [0.2, 0.8, 0.5]) {
      for (const fy of [0.5, 0.2, 0.8]) {
        points.push({ x: r.left + (r.right - r.left) * fx, y: r.top + (r.bottom - r.top) * fy });
      }
    }
  }
  return points;
}

// The parts of the element inside the window and inside every ancestor that clips it.
function visibleRects(el) {
  let clip = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  let fixed = false;
  for (let node = el; node instanceof Element && node !== document.documentElement; node = parentOf(node)) {
    const style = getComputedStyle(node);
    if (node !== el && !fixed && style.overflow !== "visible" && node !== document.body) {
      const box = node.getBoundingClientRect();
      clip = {
        left: Math.max(clip.left, box.left + node.clientLeft),
        top: Math.max(clip.top, box.top + node.clientTop),
        right: Math.min(clip.right, box.left + node.clientLeft + node.clientWidth),
        bottom: Math.min(clip.bottom, box.top + node.clientTop + node.clientHeight),
      };
    }
    if (style.position === "fixed") fixed = true;
  }
  return [...el.getClientRects()].map((r) => ({
    left: Math.max(r.left, clip.left), right: Math.min(r.right, clip.right),
    top: Math.max(r.top, clip.top), bottom: Math.min(r.bottom, clip.bottom),
  })).filter((r) => r.right > r.left && r.bottom > r.top);
}

function deepHit(x, y) {
  let hit = document.elementFromPoint(x, y);
  for (let root = hit && shadowOf(hit); root; root = hit && shadowOf(hit)) {
    const inner = root.elementFromPoint(x, y);
    if (!inner || inner === hit) break;
    hit = inner;
  }
  return hit;
}

// Whether an event at `hit` reaches `el`: itself, something inside it, or its label.
function reaches(hit, el) {
  for (let node = hit; node; node = parentOf(node)) {
    if (node === el) return true;
    if (node.localName === "label" && node.control === el) return true;
    if (node.localName === "label" && node.contains(el)) return true;
  }
  // A slotted or display:contents target has no box of its own; its closed host receives the event.
  const root = el.getRootNode();
  return root instanceof ShadowRoot && root.mode === "closed" && root.host === hit;
}

// Whether an animation moves the element now.
function moving(el) {
  const running = animations().filter((one) => one.playState === "running"
    && one.effect?.target && one.effect.getComputedTiming().endTime !== Infinity);
  return running.some((one) => reaches(el, one.effect.target) && animates(one.effect, MOTION));
}

const RESTLESS = 60;

// Whether the element is where it was a frame ago, asked only while scripts are setting styles.
function drifting(el) {
  drain();
  const now = performance.now();
  if (now - styledAt > RESTLESS) return false;
  const { x, y } = el.getBoundingClientRect();
  const rec = recOf(el);
  const last = rec.place;
  if (last && now - last.at < 10) return true;
  rec.place = { x, y, at: now };
  return !last || now - last.at > 250 || last.x !== x || last.y !== y;
}

// Resolves at the next change that could make a blocked element ready.
function nextChange({ within }) {
  return new Promise((done) => {
    const finish = () => {
      observer.disconnect();
      clearTimeout(timer);
      events.forEach((kind) => removeEventListener(kind, finish, true));
      done({});
    };
    const events = ["animationend", "transitionend", "load", "scrollend", "toggle", "close", "resize"];
    const observer = new MutationObserver(finish);
    allRoots().forEach((root) => observer.observe(root, EVERYTHING));
    events.forEach((kind) => addEventListener(kind, finish, true));
    const timer = setTimeout(finish, within);
  });
}

// A point of a child frame's window as a point of this one, if a click there reaches the frame.
function throughFrame({ key, x, y }) {
  const frame = frames.get(String(key));
  if (!frame) return { covered: "nothing: its frame is gone" };
  let box = frameBox(key);
  if (!inWindow(box.x + x, box.y + y)) {
    frame.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    box = frameBox(key);
  }
  const at = { x: box.x + x * (box.scale ?? 1), y: box.y + y * (box.scale ?? 1) };
  const hit = deepHit(at.x, at.y);
  if (hit && reaches(hit, frame)) return at;
  return { covered: hit ? describe(hit) : "the edge of the window" };
}

function inWindow(x, y) {
  return x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
}

const MOTION = ["transform", "translate", "scale", "rotate", "left", "right", "top", "bottom", "width",
  "height", "margin", "offsetDistance", "inset", "cssOffset"];
