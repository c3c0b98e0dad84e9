// Owns: accessible names as Chrome computes them (accname 1.2 with Chrome's
// choices), pure: what the markup says, not what is shown to a reader.
// Refuses: context, hints and shortening.

const FROM_CONTENT = new Set(("button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox " +
  "menuitemradio option radio rowheader switch tab tooltip treeitem disclosure term legend caption " +
  "comment doc-noteref doc-backlink doc-biblioref doc-glossref doc-subtitle").split(" "));
const NAME_PROHIBITED = new Set(("caption code definition deletion emphasis generic insertion mark none paragraph " +
  "strong subscript superscript suggestion term time").split(" "));
const NAME_DEPTH = 200;

function clean(text) {
  return text.replace(/[\s\u00a0\u200b\ufeff]+/g, " ").trim();
}

function nameOf(el) {
  return nameAs(el, roleOf(el));
}

function nameAs(el, role, inkless) {
  const state = { seen: new Set(), labelled: false, inkless };
  return clean(textAlternative(el, role, state, 0, true));
}

function textAlternative(el, role, state, depth, top) {
  if (state.seen.has(el)) return "";
  if (depth > NAME_DEPTH) return el[DOM.textContent] || "";
  state.seen.add(el);
  if (!state.labelled) {
    const sources = el[DOM.hasAttribute]("aria-labelledby") ? idRefs(el, "aria-labelledby") : [];
    if (sources.length) {
      const text = labelledText(sources, state);
      if (text) return text;
    }
  }
  if (!top) {
    const value = embeddedValue(el, role, state);
    if (value !== null) return value;
  }
  const label = el[DOM.getAttribute]("aria-label");
  if (label && label.trim()) return top || veil === null ? label : labelPart(el, label, state, depth);
  const native = nativeName(el, role, state, depth);
  if (native !== null && native.trim()) return native;
  if (takesContent(el, role, top)) {
    const text = contentText(el, state, depth);
    if (text.trim() || (text && !top && !el[DOM.hasAttribute]("title"))) return text;
  }
  const title = el[DOM.getAttribute]("title");
  if (title && title.trim() && !(top && (role === "none"))) return title;
  return top ? placeholderName(el) : "";
}

function labelledText(sources, state) {
  const parts = [];
  for (const source of sources) {
    const inner = { seen: new Set(state.seen), labelled: true, hiddenToo: !isRendered(source) };
    inner.seen.delete(source);
    parts.push(clean(partText(source, roleOf(source), inner.hiddenToo ? null : lookOf(source), inner, 1)));
  }
  return parts.join(" ").trim();
}

function takesContent(el, role, top) {
  if (!top) return true;
  return FROM_CONTENT.has(role);
}

// A field inside a label contributes its value, not its name.
function embeddedValue(el, role, state) {
  if (isSecret(el)) return "";
  if (!state.inLabel && !state.labelled && !state.inContent) return null;
  if (role === "textbox" || role === "searchbox" || role === "spinbutton" || role === "slider") return valueOf(el, role) || "";
  if (role === "combobox" || role === "listbox") {
    return el[DOM.localName] === "select" ? valueOf(el, role) || "" : null;
  }
  return null;
}

function nativeName(el, role, state, depth) {
  switch (el[DOM.localName]) {
    case "input": return inputName(el, state);
    case "select": case "textarea": case "meter": case "progress": case "output": case "button":
      return labelsText(el, state);
    case "img": case "area": return el[DOM.getAttribute]("alt");
    case "fieldset": return childText(el, "legend", state, depth);
    case "table": return el.caption ? innerText(el.caption, state, depth) : el[DOM.getAttribute]("summary");
    case "option": return el[DOM.getAttribute]("label");
    case "optgroup": return el[DOM.getAttribute]("label");
    case "svg": return svgTitle(el);
    default: return el[DOM.namespaceURI] === "http://www.w3.org/2000/svg" ? svgTitle(el) : null;
  }
}

function svgTitle(el) {
  for (let n = el[DOM.firstElementChild]; n; n = n[DOM.nextElementSibling]) {
    if (n[DOM.localName] === "title") return n[DOM.textContent];
  }
  return el[DOM.getAttribute]("xlink:title");
}

function inputName(el, state) {
  const type = el.type;
  if (type === "hidden") return null;
  if (type === "submit" || type === "reset" || type === "button") {
    const own = labelsText(el, state);
    if (own) return own;
    if (el.value) return el.value;
    return type === "submit" ? "Submit" : type === "reset" ? "Reset" : null;
  }
  if (type === "image") {
    return labelsText(el, state) || el[DOM.getAttribute]("alt") || el[DOM.getAttribute]("value") || el[DOM.getAttribute]("title") || "Submit";
  }
  return labelsText(el, state);
}

// The labels property searches the whole tree for each field, so the labels
// are gathered once instead, until elements or attributes change.
let labelMap = new Map();
let labelMapAt = -1;

function labelsOf(el) {
  if (labelMapAt !== shapes) {
    labelMapAt = shapes;
    labelMap = new Map();
    for (const root of allRoots()) {
      for (const label of root[DOM.querySelectorAll]("label")) {
        const control = label.control;
        if (control) gather(labelMap, control, label);
      }
    }
  }
  return labelMap.get(el) || [];
}

function labelsText(el, state) {
  if (state.inLabel) return null;
  const labels = labelsOf(el);
  if (!labels.length) return null;
  const parts = [];
  for (const label of labels) {
    const inner = { seen: new Set([el]), labelled: true, inLabel: true };
    parts.push(clean(partText(label, "label", lookOf(label), inner, 1)));
  }
  return parts.join(" ").trim() || null;
}

function childText(el, tag, state, depth) {
  for (let n = el[DOM.firstElementChild]; n; n = n[DOM.nextElementSibling]) {
    if (n[DOM.localName] === tag) return innerText(n, state, depth);
  }
  return null;
}

function innerText(el, state, depth) {
  return textAlternative(el, roleOf(el), { seen: new Set(state.seen), labelled: true }, depth + 1, false);
}

// The text of the subtree, with a space wherever the eye sees a gap.
function contentText(el, state, depth) {
  const was = state.inContent;
  state.inContent = true;
  let out = pseudoText(el, "before");
  for (const kid of childrenOf(el)) {
    if (kid[DOM.nodeType] === 3) out += state.inkless ? veiled(kid.data) : kid.data;
    else out += kidText(kid, state, depth);
  }
  out += pseudoText(el, "after");
  state.inContent = was;
  return out;
}

const SILENT = new Set(["script", "style", "template", "noscript", "head", "title", "desc", "metadata", "datalist"]);

function kidText(kid, state, depth) {
  const tag = kid[DOM.localName];
  if (SILENT.has(tag)) return "";
  if (tag === "br" || tag === "wbr") return " ";
  const look = lookOf(kid);
  const display = look ? look.display : "none";
  if (!state.hiddenToo && (!look || !look.shown)) {
    return display !== "none" && kid[DOM.firstElementChild] ? visibleParts(kid, state, depth) : "";
  }
  if (kid[DOM.getAttribute]("aria-hidden") === "true" && !state.hiddenToo) return "";
  const text = partText(kid, roleOf(kid), look, state, depth + 1);
  return display === "inline" || display === "contents" ? text : " " + text + " ";
}

// What the eye makes of an element, from the walk if it has been here already.
function lookOf(el) {
  const rec = el[RECORD];
  if (rec !== undefined && rec.epoch === epoch && rec.dirty === CLEAN && rec.flow !== null) return rec.look;
  const style = getComputedStyle(el);
  if (style.display === "none") return null;
  const look = { display: style.display, shown: style.visibility === "visible", concealed: false, inkless: false };
  if (veil === null) return look;
  look.concealed = el[DOM.hasAttributes]() && isConcealed(el, style);
  look.inkless = ownText(el) && inkless(el, style, style.color);
  return look;
}

// ---- what of a name is seen ----

// While a name is made for a reader: what of it nobody sees, and whether that is left out.
let veil = null;
// Stands for what is left out, so that nothing else is said in its place. It is private, as what icon fonts
// draw is, and goes with that.
const LEFT_OUT = "\ue002";

// What `make` says: all of it, what of that is seen, and what is not.
function heardAndSeen(make) {
  veil = { text: "", lifted: false };
  try {
    const all = make();
    const hidden = veil.text && clean(veil.text);
    veil.lifted = hidden !== "";
    return { all, seen: hidden ? make() : all, hidden };
  } finally {
    veil = null;
  }
}

function partText(el, role, look, state, depth) {
  if (veil === null) return textAlternative(el, role, state, depth, false);
  const before = veil.text;
  const around = state.inkless;
  state.inkless = look !== null && look.inkless;
  const text = textAlternative(el, role, state, depth, false);
  state.inkless = around;
  return look !== null && look.shown && !look.concealed ? text : veiled(text, before);
}

// What nobody sees is told once, also where something around it is hidden, too.
function veiled(text, before = veil.text) {
  veil.text = before + " " + text;
  return veil.lifted ? LEFT_OUT : text;
}

// A label inside a name is judged as one of a whole control is.
function labelPart(el, label, state, depth) {
  const before = veil.text;
  const content = contentText(el, { seen: new Set([el]), labelled: true, inkless: state.inkless }, depth);
  const otherwise = isOtherwise(clean(label), clean(content.replaceAll(LEFT_OUT, "")));
  veil.text = before + (otherwise ? " " + label : "");
  return otherwise && veil.lifted ? content || LEFT_OUT : label;
}

// visibility:hidden hides a box but not descendants that turn it back on.
function visibleParts(el, state, depth) {
  let out = "";
  for (const kid of childrenOf(el)) if (kid[DOM.nodeType] === 1) out += kidText(kid, state, depth);
  return out;
}

// Generated content is part of the name. Reading a pseudo style is dear, so it
// is asked only where a style sheet may generate some.
function pseudoText(el, which) {
  if (!mayGenerate(el, which)) return "";
  const style = getComputedStyle(el, "::" + which);
  const content = style.content;
  if (content === "none" || content === "normal" || content === '""' || content === "") return "";
  if (style.display === "none" || style.visibility !== "visible") return "";
  const text = generatedText(el, content);
  return style.display === "inline" ? text : " " + text + " ";
}

function generatedText(el, content) {
  const slash = content.indexOf(" / ");
  const source = slash > 0 ? content.slice(slash + 3) : content;
  let out = "";
  for (const m of source.matchAll(/url\("(?:[^"\\]|\\.)*"\)|"((?:[^"\\]|\\.)*)"|attr\(([\w-]+)\)/g)) {
    if (m[1] === undefined && !m[2]) continue;
    out += m[2] ? el[DOM.getAttribute](m[2]) || "" : m[1].replace(/\\(.)/g, "$1");
  }
  return out;
}

// Selectors of the document's rules that generate text; null: any element may.
let generators = { before: "", after: "" };
let shadowGenerates = false;
let generatorsAt = -1;

function mayGenerate(el, which) {
  if (generatorsAt !== epoch) findGenerators();
  if (shadowGenerates && el[DOM.getRootNode]() !== document) return true;
  const selectors = generators[which];
  return selectors === null || (selectors !== "" && el[DOM.matches](selectors));
}

function findGenerators() {
  generatorsAt = epoch;
  const found = [];
  shadowGenerates = false;
  let blind = false;
  for (const root of allRoots()) {
    const list = root === document ? found : [];
    for (const sheet of [...root[DOM.styleSheets], ...(root[DOM.adoptedStyleSheets] || [])]) blind = !readSheet(sheet, list) || blind;
    if (root !== document && list.length) shadowGenerates = true;
  }
  for (const which of ["before", "after"]) {
    const own = found.filter((part) => part.which === which).map((part) => part.selector);
    generators[which] = blind ? null : usable([...new Set(own)].join(","));
  }
}

function usable(selectors) {
  try {
    if (selectors) document[DOM.documentElement][DOM.matches](selectors);
    return selectors;
  } catch {
    return null;
  }
}

// False where the sheet may not be read.
function readSheet(sheet, found) {
  if (sheet.disabled) return true;
  try {
    return readRules(sheet.cssRules, found, 0);
  } catch {
    return false;
  }
}

function readRules(rules, found, depth) {
  for (const rule of rules) {
    if (rule.styleSheet && !readSheet(rule.styleSheet, found)) return false;
    const content = rule.style ? rule.style.content : "";
    if (content && content !== "none" && content !== "normal" && content !== '""') {
      const selector = rule.selectorText || "&";
      if (selector.includes("&")) return false;
      for (const part of splitSelector(selector)) {
        const which = /before$/.test(part) ? "before" : "after";
        found.push({ which, selector: part.replace(/::?(before|after)\b/g, "").replace(/(^|[\s>+~])$/, "$1*") });
      }
    }
    if (rule.cssRules && rule.cssRules.length && depth < 8 && !readRules(rule.cssRules, found, depth + 1)) return false;
  }
  return true;
}

function splitSelector(selector) {
  return selector.split(/,(?![^(]*\))/).map((part) => part.trim()).filter((part) => /::?(before|after)$/.test(part));
}

function placeholderName(el) {
  const tag = el[DOM.localName];
  if (tag === "input" || tag === "textarea") {
    return el[DOM.getAttribute]("placeholder") || el[DOM.getAttribute]("aria-placeholder") || "";
  }
  return el[DOM.getAttribute]("aria-placeholder") || "";
}
