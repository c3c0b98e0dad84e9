// Owns: what a page looks like in a picture: secrets masked, boxes with refs.

// Before a picture: what secrets read as text turns to dots; boxes with refs are drawn on request.
const picture = { masked: [], overlay: null };

function dress({ boxes }) {
  for (const el of allRoots().flatMap((root) => [...root[DOM.querySelectorAll]("input,textarea")])) {
    if (!isSecret(el) || !el.value) continue;
    picture.masked.push([el, el.style.getPropertyValue("-webkit-text-security")]);
    el.style.setProperty("-webkit-text-security", "disc", "important");
  }
  if (boxes) drawBoxes();
  return { dressed: picture.masked.length > 0 || boxes === true };
}

function undress() {
  for (const [el, before] of picture.masked) {
    if (before) el.style.setProperty("-webkit-text-security", before);
    else el.style.removeProperty("-webkit-text-security");
  }
  picture.masked = [];
  picture.overlay?.remove();
  picture.overlay = null;
  return {};
}

function drawBoxes() {
  const host = document[DOM.createElement]("div");
  host.style.cssText = "all:initial;position:fixed;inset:0;pointer-events:none;z-index:2147483647";
  const root = host.attachShadow({ mode: "closed" });
  for (const el of listed.map((item) => item.el)) {
    const box = el[DOM.getBoundingClientRect]();
    const inside = box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
    if (!inside || box.width < 2 || !isVisible(el)) continue;
    const frame = document[DOM.createElement]("div");
    frame.style.cssText = `position:absolute;left:${box.left}px;top:${box.top}px;width:${box.width}px;`
      + `height:${box.height}px;box-sizing:border-box;border:2px solid #d6006c`;
    const label = document[DOM.createElement]("span");
    label[DOM.textContent] = refOf(el);
    label.style.cssText = "position:absolute;left:0;top:0;background:#d6006c;color:#fff;"
      + "font:bold 11px monospace;padding:0 2px";
    frame.append(label);
    root.append(frame);
  }
  picture.overlay = host;
  document[DOM.documentElement].append(host);
}

function boxFor({ ref }) {
  const el = nodeOf(ref);
  if (!el) return {};
  el[DOM.scrollIntoView]({ block: "nearest", inline: "nearest", behavior: "instant" });
  const box = el[DOM.getBoundingClientRect]();
  return { box: { x: box.left, y: box.top, width: box.width, height: box.height } };
}
