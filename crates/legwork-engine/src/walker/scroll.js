// Owns: scrolling, and where things are scrolled to.

// Scrolls the window or the nearest scrolling box, and tells where it is now.
function scrollPage({ ref, to, dx, dy }) {
  resume();
  const el = ref ? nodeOf(ref) : null;
  if (to === "view") {
    const around = scrollBox(el);
    const start = scrollState(around);
    el[DOM.scrollIntoView]({ block: "center", inline: "nearest", behavior: "instant" });
    const end = scrollState(around);
    return { ...end, moved: true, by: [end.x - start.x, end.y - start.y] };
  }
  const box = scrollBox(el, true);
  const before = { x: box[DOM.scrollLeft], y: box[DOM.scrollTop] };
  if (to === "top") box[DOM.scrollTo]({ top: 0, behavior: "instant" });
  else if (to === "bottom") box[DOM.scrollTo]({ top: box[DOM.scrollHeight], behavior: "instant" });
  else box[DOM.scrollBy]({ left: dx ?? 0, top: dy ?? 0, behavior: "instant" });
  const state = scrollState(box);
  const by = [state.x - Math.round(before.x), state.y - Math.round(before.y)];
  return { ...state, moved: before.x !== state.x || before.y !== state.y, by };
}

function scrollState(box) {
  return {
    x: Math.round(box[DOM.scrollLeft]), y: Math.round(box[DOM.scrollTop]),
    bottom: Math.round(box[DOM.scrollHeight] - box[DOM.clientHeight]),
  };
}

// The element itself if it scrolls, else the nearest ancestor that does, else the page, or, on a
// page that does not scroll as a whole, its largest scrolling box.
function scrollBox(el, own) {
  for (let node = own ? el : el && parentOf(el); node instanceof Element; node = parentOf(node)) {
    if (scrolls(node)) return node;
  }
  const page = document[DOM.scrollingElement] || document[DOM.documentElement];
  if (el || page[DOM.scrollHeight] > page[DOM.clientHeight] + 1) return page;
  const boxes = [...document[DOM.querySelectorAll]("*")].filter(scrolls);
  const area = (node) => node[DOM.clientWidth] * node[DOM.clientHeight];
  return boxes.sort((a, b) => area(b) - area(a))[0] ?? page;
}

function scrolls(node) {
  if (node === document[DOM.documentElement] || node === document[DOM.body]) return false;
  if (node[DOM.scrollHeight] <= node[DOM.clientHeight] + 1 && node[DOM.scrollWidth] <= node[DOM.clientWidth] + 1) return false;
  return /auto|scroll/.test(getComputedStyle(node).overflow);
}
