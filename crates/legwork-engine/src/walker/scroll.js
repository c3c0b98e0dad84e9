// Owns: scrolling, and where things are scrolled to.

// Scrolls the window or the nearest scrolling box, and tells where it is now.
function scrollPage({ ref, to, dx, dy }) {
  const el = ref ? nodeOf(ref) : null;
  if (to === "view") {
    el.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
    return { ...scrollState(scrollBox(el)), moved: true };
  }
  const box = scrollBox(el, true);
  const before = { x: box.scrollLeft, y: box.scrollTop };
  if (to === "top") box.scrollTo({ top: 0, behavior: "instant" });
  else if (to === "bottom") box.scrollTo({ top: box.scrollHeight, behavior: "instant" });
  else box.scrollBy({ left: dx ?? 0, top: dy ?? 0, behavior: "instant" });
  const state = scrollState(box);
  return { ...state, moved: before.x !== state.x || before.y !== state.y };
}

function scrollState(box) {
  return {
    x: Math.round(box.scrollLeft), y: Math.round(box.scrollTop),
    bottom: Math.round(box.scrollHeight - box.clientHeight),
  };
}

// The element itself if it scrolls, else the nearest ancestor that does, else the page, or, on a
// page that does not scroll as a whole, its largest scrolling box.
function scrollBox(el, own) {
  for (let node = own ? el : el && parentOf(el); node instanceof Element; node = parentOf(node)) {
    if (scrolls(node)) return node;
  }
  const page = document.scrollingElement || document.documentElement;
  if (el || page.scrollHeight > page.clientHeight + 1) return page;
  const boxes = [...document.querySelectorAll("*")].filter(scrolls);
  const area = (node) => node.clientWidth * node.clientHeight;
  return boxes.sort((a, b) => area(b) - area(a))[0] ?? page;
}

function scrolls(node) {
  if (node === document.documentElement || node === document.body) return false;
  if (node.scrollHeight <= node.clientHeight + 1 && node.scrollWidth <= node.clientWidth + 1) return false;
  return /auto|scroll/.test(getComputedStyle(node).overflow);
}
