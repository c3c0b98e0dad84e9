// Owns: the page as a document to read: the text of an element, and a copy of the page without what
// nobody sees and without secrets.
// Refuses: refs, controls and their wording.

// The text of an element as a person reads it. The browser's own leaves out what it has not drawn yet
// (content-visibility: auto) and what stands in shadow roots: there the tree is read instead.
function shownText(el) {
  const drawn = el[DOM.innerText];
  if (drawn === undefined) return el[DOM.textContent] || "";
  return isDrawn(el) ? drawn : writtenText(el);
}

// Whether the browser's own text of an element is all there is to read in it.
function isDrawn(el) {
  if (isPutOff(el) || shadowOf(el)) return false;
  for (const inner of el[DOM.getElementsByTagName]("*")) if (shadowOf(inner) || isPutOff(inner)) return false;
  return true;
}

const DRAWN = { contentVisibilityAuto: true };

// Not on the page at all, now or later. What has no box of its own is judged by what is in it.
function isGone(el, style) {
  return !el[DOM.checkVisibility]() && style.display !== "contents";
}

function isPutOff(el) {
  return !el[DOM.checkVisibility](DRAWN) && el[DOM.checkVisibility]();
}

// ---- text from the tree ----

const UNREAD = new Set("script style template noscript head title textarea datalist iframe canvas video audio object".split(" "));
// White space that counts, while that around it is folded.
const KEPT_SPACE = "\ue000";
const KEPT_LINE = "\ue001";

// `above` is what the eye made of what is around; without it all that is drawn is read, seen or not.
function writtenText(el, above = null) {
  const out = [];
  readInto(out, el, 0, above);
  return joined(out).replace(/ ?\n ?/g, "\n").replace(/ {2,}/g, " ").trim().replaceAll(KEPT_SPACE, " ").replaceAll(KEPT_LINE, "\n");
}

// Texts, and between them the number of lines that the edges of boxes ask for: the highest counts.
function joined(pieces) {
  let out = "";
  let lines = 0;
  for (const piece of pieces) {
    if (typeof piece === "number") lines = Math.max(lines, piece);
    else if (piece !== " " || !lines) {
      out += "\n".repeat(out ? lines : 0) + piece;
      lines = 0;
    }
  }
  return out;
}

function readInto(out, el, depth, above) {
  const tag = el[DOM.localName];
  if (tag === "br") out.push("\n");
  if (tag === "br" || UNREAD.has(tag)) return;
  const style = getComputedStyle(el);
  if (tag !== "option" && isGone(el, style)) return;
  const eye = above && seenIn(el, style, above);
  if (eye && eye.nothing) return;
  const edge = tag === "p" ? 2 : isInline(style.display) ? 0 : 1;
  out.push(edge);
  if (depth > MAX_DEPTH) out.push(el[DOM.textContent]);
  else readKids(out, el, style, depth, eye);
  out.push(style.display === "table-cell" && el[DOM.nextElementSibling] ? "\t" : edge);
}

function readKids(out, el, style, depth, eye) {
  const shown = showsOwnText(style) && !(eye && eye.inkless);
  const pre = style.whiteSpaceCollapse !== "collapse";
  for (const kid of eye ? unfoldedIn(el) : childrenOf(el)) {
    if (kid[DOM.nodeType] === 1) readInto(out, kid, depth + 1, eye);
    else if (shown && pre) out.push(kid.data.replace(/[ \t]/g, KEPT_SPACE).replace(/\n/g, KEPT_LINE));
    else if (shown && kid.data) out.push(kid.data.replace(/\s+/g, " "));
  }
}

// ---- what the eye sees ----

const UNKNOWN = { colour: "", inkless: null, nothing: false };

// What the eye makes of an element inside another: nothing at all, or what stands in it but not its own text. By
// the measures of a snapshot.
function seenIn(el, style, above) {
  const colour = style.color;
  const marked = el[DOM.hasAttributes]();
  if (marked && isConcealed(el, style)) return { ...UNKNOWN, nothing: true };
  const same = !marked && above.colour === colour && above.inkless !== null;
  return { colour, inkless: same ? above.inkless : ownText(el) ? inkless(el, style, colour) : null, nothing: false };
}

function isConcealed(el, style) {
  if (concealed(el, style, style.position)) return true;
  const cuts = !style.display.startsWith("inline") && style.overflowX !== "visible" && el[DOM.firstChild];
  const edge = el[DOM.localName] === "body" || el[DOM.localName] === "html";
  return Boolean(cuts) && !edge && (el[DOM.clientHeight] <= 1 || el[DOM.clientWidth] <= 1) && !isPutOff(el);
}

// What is folded away is not there to be seen.
function unfoldedIn(el) {
  const kids = childrenOf(el);
  if (el[DOM.localName] !== "details" || el.open) return kids;
  return [...kids].filter((kid) => kid[DOM.localName] === "summary").slice(0, 1);
}

function isInline(display) {
  return display.startsWith("inline") || display === "contents" || display === "table-cell" || display.startsWith("ruby");
}

function showsOwnText(style) {
  return style.visibility === "visible" && style.contentVisibility !== "hidden";
}

// ---- the document ----

const KEPT = new Set(["html", "head", "title", "base", "meta", "link", "body", "br", "option", "source", "summary"]);

// The document as HTML: as it is, or as it is seen, with what stands in shadow roots. Nothing of the
// copy loads or runs: it is made in a document without a window.
function copyDocument({ visible }) {
  const root = document[DOM.documentElement];
  const inert = document.implementation.createHTMLDocument("");
  const copy = visible ? seenCopy(root, inert) : wholeCopy(root, inert);
  return { html: copy.outerHTML };
}

function wholeCopy(root, inert) {
  const copy = inert.importNode(root, true);
  const twins = [...copy.getElementsByTagName("*")];
  [...root[DOM.getElementsByTagName]("*")].forEach((el, index) => {
    if (isSecret(el)) silence(twins[index]);
  });
  return copy;
}

// Without recursion: pages are as deep as they like.
function seenCopy(root, inert) {
  const copy = inert.importNode(root, false);
  const todo = [[root, copy, true, UNKNOWN]];
  while (todo.length) {
    const [el, twin, shown, above] = todo.pop();
    if (isSecret(el)) {
      silence(twin);
      continue;
    }
    for (const kid of unfoldedIn(el)) {
      if (kid[DOM.nodeType] === 3) {
        if (shown) twin[DOM.append](kid.data);
        continue;
      }
      const style = getComputedStyle(kid);
      const kept = KEPT.has(kid[DOM.localName]);
      if (!kept && isGone(kid, style)) continue;
      const eye = kept && kid[DOM.localName] !== "summary" ? UNKNOWN : seenIn(kid, style, above);
      if (eye.nothing) continue;
      const made = inert.importNode(kid, false);
      // Judged already, and by more than these can say.
      made.removeAttribute("style");
      made.removeAttribute("hidden");
      twin[DOM.append](made);
      todo.push([kid, made, kept || (showsOwnText(style) && !eye.inkless), eye]);
    }
  }
  return copy;
}

// A secret field keeps its place and loses what is in it.
function silence(twin) {
  twin.removeAttribute("value");
  twin.textContent = "";
}

function pageText() {
  const root = rootElement();
  return { text: root ? textOf(root, writtenText(root, UNKNOWN)) : "" };
}
