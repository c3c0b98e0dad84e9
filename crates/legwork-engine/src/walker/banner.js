// Owns: the line at the top of a page that tells a person who looks on what is being done there.
// Refuses: being part of the page. It stands in a closed shadow root that only this world holds, and in the
// browser's top layer; it takes no clicks, and whoever looks at the page through the walker does not see it.

let bannerText = "";
let bannerBar = null;
let bannerRaisedAt = -Infinity;
let bannerDue = false;
let bannerWatch = null;
let bannerDimmed = 0;
// The shadow roots it was given, by their hosts: a second one cannot be had.
const bannerRoots = new WeakMap();
// A page that fights for the top is not fought more often than this, in milliseconds.
const BANNER_PACE = 100;
const BANNER_AWAY = 1500;
const BANNER_STYLE = {
  all: "initial", display: "block", position: "fixed", inset: "0 0 auto 0", "box-sizing": "border-box", width: "100%",
  "max-height": "3em", margin: "0", border: "0", padding: "4px 12px", overflow: "hidden", "z-index": "2147483647",
  "pointer-events": "none", "user-select": "none", visibility: "visible", opacity: "0.92", transition: "opacity 0.2s",
  color: "#fff", font: "600 13px/18px system-ui, sans-serif", "text-align": "center", "text-overflow": "ellipsis",
  "white-space": "nowrap", background: "linear-gradient(90deg, #4338ca, #7c3aed)",
};

// What the session says; it names no session, so that no page learns of others.
function setCurrentShoppingItem(text) {
  if (window !== window.top) return;
  bannerText = text;
  bannerWatch ??= watchForBanner();
  if (bannerBar) bannerBar[DOM.textContent] = text;
  keepBanner();
}

function keepBanner() {
  if (!bannerText) {
    bannerBar?.remove();
    return;
  }
  // A document that is written anew loses its listeners; the same ones count once.
  for (const kind of ["toggle", "fullscreenchange"]) document.addEventListener(kind, raiseBanner, true);
  document.addEventListener("mousemove", clearTheWay, { capture: true, passive: true });
  const host = document[DOM.body];
  if (!host || !document[DOM.documentElement]) return;
  const root = bannerRootIn(host);
  if (bannerBar && bannerBar[DOM.parentNode] === root && bannerBar[DOM.isConnected]) return;
  bannerBar ??= makeBanner();
  root[DOM.append](bannerBar);
  raiseBanner();
}

function makeBanner() {
  const bar = document[DOM.createElement]("div");
  for (const [name, value] of Object.entries(BANNER_STYLE)) bar.style.setProperty(name, value);
  bar.popover = "manual";
  bar[DOM.textContent] = bannerText;
  return bar;
}

// In the body itself, whose children stay where they are; beside it where that has a shadow root of its own.
function bannerRootIn(body) {
  const known = bannerRoots.get(body);
  if (known) return known;
  try {
    const root = body.attachShadow({ mode: "closed" });
    root[DOM.append](document[DOM.createElement]("slot"));
    recOf(body).examined = true;
    bannerRoots.set(body, root);
    return root;
  } catch {
    return besideBody();
  }
}

function besideBody() {
  const html = document[DOM.documentElement];
  let host = bannerRoots.get(html);
  if (!host) {
    host = document[DOM.createElement]("legwork-banner");
    recOf(host).examined = true;
    bannerRoots.set(html, host);
    bannerRoots.set(host, host.attachShadow({ mode: "closed" }));
  }
  if (host[DOM.parentNode] !== html) paced(() => html[DOM.append](host));
  return bannerRoots.get(host);
}

// What was shown last is on top.
function raiseBanner() {
  paced(() => {
    if (!bannerBar?.[DOM.isConnected]) return;
    try {
      if (bannerBar.matches(":popover-open")) bannerBar.hidePopover();
      bannerBar.showPopover();
    } catch {
      // Where there is no top layer, it is only very high up.
    }
  });
}

// At once if that was not done just now, else a little later and once.
function paced(work) {
  const since = performance.now() - bannerRaisedAt;
  if (since >= BANNER_PACE) {
    bannerRaisedAt = performance.now();
    work();
  } else if (!bannerDue) {
    bannerDue = true;
    setTimeout(() => {
      bannerDue = false;
      keepBanner();
      raiseBanner();
    }, BANNER_PACE - since);
  }
}

// Whoever points at what is under it sees through it for a while. Chrome also tells of a mouse that did not move.
function clearTheWay(event) {
  const moved = event.isTrusted && (event.movementX || event.movementY);
  if (!moved || !bannerBar) return;
  clearTimeout(bannerDimmed);
  bannerBar.style.opacity = event.clientY < 48 ? "0.1" : BANNER_STYLE.opacity;
  bannerDimmed = setTimeout(() => (bannerBar.style.opacity = BANNER_STYLE.opacity), BANNER_AWAY);
}

function watchForBanner() {
  const observer = new MutationObserver((records) => {
    keepBanner();
    if (records.some((record) => record.type === "attributes")) raiseBanner();
  });
  observer.observe(document, { childList: true, subtree: true, attributeFilter: ["open"] });
  return observer;
}
