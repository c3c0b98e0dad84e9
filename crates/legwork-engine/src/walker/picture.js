// Owns: what a page looks like in a picture: secrets masked, boxes with refs.
// Refuses: taking it.

// Who is being pictured, with the boxes drawn for them and the fields they were told of, and how masked fields
// were before.
const wearing = new Map();
const offered = new Map();
const masked = new Map();

// Gets the page ready, and says where everything is: one question before a picture.
function dress({ token, boxes, whole, values, hidden, target, ref }) {
  update(false);
  const el = target ? pictured(target) : ref ? nodeOf(ref) : null;
  if (el) el[DOM.scrollIntoView]({ block: "nearest", inline: "nearest", behavior: "instant" });
  maskSecrets((hidden || []).map((number) => offered.get(token)?.[number]));
  wearing.get(token)?.remove();
  wearing.set(token, boxes ? drawBoxes(whole) : null);
  const page = document[DOM.scrollingElement] || document[DOM.documentElement];
  const box = el ? el[DOM.getBoundingClientRect]() : null;
  return {
    box: box && { x: box.left, y: box.top, width: box.width, height: box.height },
    page: { x: scrollX, y: scrollY, width: page[DOM.scrollWidth], height: page[DOM.scrollHeight] },
    window: { x: 0, y: 0, width: innerWidth, height: innerHeight }, candidates: candidates().length,
    values: values ? shownValues(token) : [],
  };
}

// What fields show that are not masked yet: whoever takes the picture knows what must not be seen.
function shownValues(token) {
  const fields = pictureFields().filter((el) => !masked.has(el) && plainValue(el, "textbox"));
  offered.set(token, fields);
  return fields.map((el) => plainValue(el, "textbox"));
}

function pictured(target) {
  const found = single(target, {});
  return found.el && isVisible(found.el) ? found.el : null;
}

// The last one to leave restores the page.
function undress(token) {
  wearing.get(token)?.remove();
  wearing.delete(token);
  offered.delete(token);
  if (wearing.size) return;
  for (const [el, before] of masked) {
    el.style.removeProperty(before.property);
    if (before.value) el.style.setProperty(before.property, before.value, before.priority);
    if (!before.styled) el.removeAttribute("style");
  }
  masked.clear();
}

const SECRETIVE = "input, textarea, select, [contenteditable]";

function pictureFields() {
  return allRoots().flatMap((root) => [...root[DOM.querySelectorAll](SECRETIVE)]);
}

// What secrets read as text turns to dots; a list shows nothing.
function maskSecrets(hidden) {
  for (const el of pictureFields()) {
    if (masked.has(el) || !hidden.includes(el) && (!isSecret(el) || !maskedValue(el))) continue;
    const property = el[DOM.localName] === "select" ? "color" : "-webkit-text-security";
    masked.set(el, {
      property, value: el.style.getPropertyValue(property), priority: el.style.getPropertyPriority(property),
      styled: el[DOM.hasAttribute]("style"),
    });
    el.style.setProperty(property, property === "color" ? "transparent" : "disc", "important");
  }
}

// Boxes around what is listed: in the window, or on the whole page.
function drawBoxes(whole) {
  const host = document[DOM.createElement]("div");
  host.style.cssText = "all:initial;position:absolute;left:0;top:0;width:0;height:0;pointer-events:none;z-index:2147483647";
  const root = host.attachShadow({ mode: "closed" });
  document[DOM.documentElement].append(host);
  const origin = host[DOM.getBoundingClientRect]();
  const boxes = [];
  for (const { el } of listed) {
    const box = el[DOM.getBoundingClientRect]();
    const inside = box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
    if ((whole || inside) && box.width >= 2 && isVisible(el)) boxes.push([refOf(el), box]);
  }
  for (const [ref, box] of boxes) root.append(labelled(ref, box, origin));
  return host;
}

function labelled(ref, box, origin) {
  const frame = document[DOM.createElement]("div");
  frame.style.cssText = `position:absolute;left:${box.left - origin.left}px;top:${box.top - origin.top}px;`
    + `width:${box.width}px;height:${box.height}px;box-sizing:border-box;border:2px solid #d6006c`;
  const label = document[DOM.createElement]("span");
  label.textContent = ref;
  label.style.cssText = "position:absolute;left:0;top:0;background:#d6006c;color:#fff;"
    + "font:bold 11px monospace;padding:0 2px";
  frame.append(label);
  return frame;
}
