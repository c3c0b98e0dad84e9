// Owns: how an element can be found again on another day: by role and name, by its words and what stands
// around them, by test id, attribute, id, CSS and XPath, the steadiest first.
// Refuses: to tell what a field holds.

const WAY_LENGTH = 200;
const WAY_NAME = 100;
const TEST_IDS = ["data-testid", "data-test-id", "data-test", "data-cy", "data-qa"];

// That an element cannot be described keeps nobody from acting on it.
function knownBy(el) {
  try {
    return described(el);
  } catch {
    return null;
  }
}

function described(el) {
  const field = isField(el);
  const { item } = recOf(el);
  const name = nameOf(el) || item?.full || item?.hint || (field ? "" : clean(textOf(el)));
  return {
    role: roleOf(el) || "", name: shorten(name, WAY_NAME), kind: field ? fieldKind(el) : "", secret: isSecret(el), find: waysTo(el),
  };
}

// As targets are written for every tool.
function waysTo(el) {
  const ways = new Set([...wordedWays(el), ...placesOf(el)]);
  return [...ways].filter((way) => way && way.length <= WAY_LENGTH);
}

// Its attributes and its place, which hold until elements or attributes change.
function placesOf(el) {
  drain();
  const rec = recOf(el);
  if (rec.placesAt !== shapes) {
    rec.places = attributeWays(el);
    // A place in a frame is some other place in the page around it.
    if (window === top) rec.places.push(shortCss(el), pathTo(el));
    rec.placesAt = shapes;
  }
  return rec.places;
}

function wordedWays(el) {
  const { item } = recOf(el);
  const role = item ? item.role : roleOf(el);
  const name = item ? item.full || item.hint : nameOf(el);
  const out = [];
  if (!name) {
    const text = isField(el) ? "" : clean(textOf(el));
    return text && text.length <= 60 ? ["text=" + text] : [];
  }
  if (role && role !== "generic" && role !== "none" && !hasTwins(el, item, role, name)) out.push("role=" + role + "[name=" + JSON.stringify(name) + " exact]");
  const around = item ? contextOf(el)?.text : rowOf(el) || aroundOf(el);
  if (around && !/["“”…]/.test(name + around)) out.push('"' + name + '" in "' + around + '"');
  return out;
}

// Whether others have its role and name. Where nothing was walked yet, the likely ones are asked.
function hasTwins(el, item, role, name) {
  if (item) return isRepeated(item);
  return [...document[DOM.querySelectorAll](CONTROLS)].some((other) => other !== el && roleOf(other) === role && nameOf(other) === name);
}

const ROWS = "tr,li,article,[role=row],[role=listitem],[role=article],[role=option]";

// The first words of its row that are not its own, nor another control's.
function rowOf(el) {
  const row = parentOf(el)?.[DOM.closest]?.(ROWS);
  if (!row) return "";
  const texts = document[DOM.createTreeWalker](row, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const words = clean(text.data);
    const owner = text[DOM.parentElement];
    if (words.length <= 50 && /\p{L}\p{L}/u.test(words) && !el[DOM.contains](owner) && !owner[DOM.closest]("button,select,textarea")) return words;
  }
  return "";
}

function attributeWays(el) {
  const tag = el[DOM.localName];
  const test = TEST_IDS.map((name) => attributeWay(el, "", name));
  const own = isField(el) ? ["name", "placeholder"].map((name) => attributeWay(el, tag, name)) : [];
  return [...test, steadyId(el) ? "css=#" + CSS.escape(el[DOM.id]) : "", ...own];
}

function attributeWay(el, tag, name) {
  const value = el[DOM.getAttribute](name);
  if (!value || !/^[^"\\\n]{1,80}$/.test(value)) return "";
  const css = tag + "[" + name + '="' + value + '"]';
  return isOnly(el, css) ? "css=" + css : "";
}

// Ids that frameworks count up or make up are another one on the next day.
function steadyId(el) {
  const id = el[DOM.id];
  return Boolean(id) && /^[A-Za-z][\w-]{1,40}$/.test(id) && !/\d{3}|[0-9a-f]{8}/.test(id) && isOnly(el, "#" + CSS.escape(id));
}

function isOnly(el, css) {
  let found = false;
  for (const root of allRoots()) {
    const first = root[DOM.querySelector](css);
    if (!first) continue;
    if (first !== el || root[DOM.querySelectorAll](css).length > 1) return false;
    found = true;
  }
  return found;
}

// The shortest path of tags and places that leads to this element alone.
function shortCss(el) {
  let css = "";
  for (let n = el, steps = 0; n && n[DOM.nodeType] === 1 && steps < 8; n = n[DOM.parentNode], steps++) {
    const anchored = steadyId(n);
    const here = anchored ? "#" + CSS.escape(n[DOM.id]) : placeOf(n);
    css = css ? here + " > " + css : here;
    if (isOnly(el, css)) return "css=" + css;
    if (anchored) return "";
  }
  return "";
}

function placeOf(el) {
  const tag = CSS.escape(el[DOM.localName]);
  const place = placeAmong(el);
  return place ? tag + ":nth-of-type(" + place + ")" : tag;
}

// Its number among those of its tag, 0 where it is the only one.
function placeAmong(el) {
  if (el[DOM.matches](":only-of-type")) return 0;
  const parent = el[DOM.parentNode];
  const same = parent ? [...parent[DOM.children]].filter((kid) => kid[DOM.localName] === el[DOM.localName]) : [];
  return same.length > 1 ? same.indexOf(el) + 1 : 0;
}

function pathTo(el) {
  if (el[DOM.getRootNode]() !== document) return "";
  let path = "";
  for (let n = el; n && n[DOM.nodeType] === 1; n = n[DOM.parentNode]) {
    if (n !== el && steadyId(n)) return 'xpath=//*[@id="' + n[DOM.id] + '"]' + path;
    // Names of other namespaces cannot be written in a plain path.
    const plain = n[DOM.namespaceURI] === "http://www.w3.org/1999/xhtml";
    const step = plain ? n[DOM.localName] : "*[local-name()='" + n[DOM.localName] + "']";
    const place = placeAmong(n);
    path = "/" + step + (place ? "[" + place + "]" : "") + path;
  }
  return "xpath=" + path;
}
