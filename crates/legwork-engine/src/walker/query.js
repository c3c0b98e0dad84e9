// Owns: from a target (ref, CSS, XPath, role and name, text) to elements,
// through shadow roots; facts about elements.
// Refuses: acting, and other tools' selector dialects, by name.

const MATCH_LIMIT = 20;

// {nodes: [...]} or {error: {code, message}}.
function resolve(target) {
  if (!target || typeof target !== "object") return failure("invalid_target", "a target is an object");
  if (target.at !== undefined) return failure("unsupported_selector", "a point is only for acting on what is there");
  if (target.ref !== undefined) return resolveRef(String(target.ref));
  if (target.css !== undefined) return resolveCss(String(target.css));
  if (target.xpath !== undefined) return resolveXPath(String(target.xpath));
  update(false);
  if (target.role !== undefined) return { nodes: byRole(String(target.role), target.name, target.exact) };
  if (target.text !== undefined) return { nodes: byText(String(target.text), target.exact) };
  if (target.words !== undefined) return { nodes: byWords(String(target.words)) };
  return failure("invalid_target", "a target needs one of ref, css, xpath, role, text, words");
}

function failure(code, message) {
  return { error: { code, message } };
}

function resolveRef(ref) {
  if (!/^e?\d+$/.test(ref)) return failure("invalid_target", "a ref looks like e12, not " + ref);
  const el = nodeOf(ref);
  if (el) return { nodes: [el] };
  const n = Number(ref.replace(/^e/, ""));
  if (lost.has(n) || n < nextRef) return failure("stale_ref", ref + " is gone: the page changed");
  return failure("unknown_ref", ref + " was never given out on this page");
}

const DIALECTS = [
  [/:has-text\(/, ":has-text()", "text or words"], [/^text=|>>\s*text=/, "text=", "text"], [/>>/, ">>", "a descendant selector or words"],
  [/:contains\(/, ":contains()", "text or words"], [/:visible\b/, ":visible", "role, text or words (these match visible things only)"],
  [/:(text|text-is|text-matches)\(/, ":text()", "text"], [/:(eq|gt|lt|first|last|even|odd)\b(?!-)(\(|$|\s)/, "jQuery position filters", ":nth-child() or a ref"],
  [/^(xpath|css|role|id|data-testid)=/, "engine prefixes", "the css, xpath or role target"], [/^internal:/, "internal:", "css"],
  [/:nth-match\(/, ":nth-match()", ":nth-child() or a ref"], [/:(near|above|below|left-of|right-of)\(/, "layout pseudo-classes", "words with context"],
];

function resolveCss(css) {
  catchUp();
  const nodes = [];
  try {
    for (const root of allRoots()) nodes.push(...root[DOM.querySelectorAll](css));
  } catch (error) {
    const known = DIALECTS.find(([pattern]) => pattern.test(css));
    if (!known) return failure("invalid_selector", "'" + css + "' is not a CSS selector");
    return failure("unsupported_selector", known[1] + " is not CSS and is not supported; use " + known[2]);
  }
  return { nodes };
}

function resolveXPath(xpath) {
  catchUp();
  const nodes = [];
  try {
    for (const root of allRoots()) {
      if (root === document) nodes.push(...evaluate(xpath, document));
      else for (const kid of root[DOM.children]) nodes.push(...evaluate(xpath.replace(/^\/\/(?=[\w*])/, "descendant-or-self::"), kid));
    }
  } catch (error) {
    const elements = error.name === "SyntaxError" ? "' is not an XPath expression" : "' selects no elements";
    return failure("invalid_selector", "'" + xpath + elements);
  }
  return { nodes };
}

function evaluate(xpath, context) {
  const found = document[DOM.evaluate](xpath, context, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
  const out = [];
  for (let i = 0; i < found.snapshotLength; i++) {
    const n = found.snapshotItem(i);
    if (n[DOM.nodeType] === 1) out.push(n);
    else if (n[DOM.nodeType] === 3 && n[DOM.parentNode]) out.push(n[DOM.parentNode]);
  }
  return out;
}

// Visits everything rendered, in flat-tree order, without recursion.
function eachRendered(visit) {
  const stack = [rootElement()];
  while (stack.length) {
    const el = stack.pop();
    if (!el || SKIPPED.has(el[DOM.localName])) continue;
    const rec = el[RECORD];
    if (rec !== undefined && rec.epoch === epoch && rec.look === null && rec.flow !== null && el[DOM.localName] !== "br") continue;
    if (visit(el) === false) continue;
    const kids = childrenOf(el);
    for (let i = kids.length - 1; i >= 0; i--) if (kids[i][DOM.nodeType] === 1) stack.push(kids[i]);
  }
}

const ROLE_WORDS = { field: "textbox", input: "textbox", dropdown: "combobox", select: "combobox", image: "img", details: "disclosure", box: "checkbox" };

function byRole(role, name, exact) {
  const wanted = ROLE_WORDS[role] || role;
  const all = [];
  eachRendered((el) => {
    const item = el[RECORD] !== undefined ? el[RECORD].item : null;
    const shown = item && item.el === el ? item.role : "";
    if ((shown === wanted || roleOf(el) === wanted) && isRendered(el)) all.push(el);
  });
  if (name === undefined || name === null) return all;
  return bestNamed(all, String(name), exact);
}

function namesOf(el) {
  const item = el[RECORD] !== undefined ? el[RECORD].item : null;
  return [nameOf(el), item ? item.full : "", item ? item.hint : ""].filter(Boolean).map(clean);
}

// Exact matches win over those that only contain the words, and full names over what is seen of them.
function bestNamed(all, name, exact) {
  const wanted = clean(name).toLowerCase();
  const same = [];
  const seen = [];
  const part = [];
  const fits = (text) => (exact ? text === clean(name) : text.toLowerCase() === wanted);
  for (const el of all) {
    const names = namesOf(el);
    const shown = el[RECORD]?.item?.name || "";
    if (names.some(fits)) same.push(el);
    else if (fits(shown)) seen.push(el);
    else if (!exact && [...names, shown].some((text) => text.toLowerCase().includes(wanted))) part.push(el);
  }
  return [same, seen, part].find((found) => found.length) ?? [];
}

// The innermost visible elements with the text; whole texts before parts.
function byText(text, exact) {
  const { same, part } = sayersOf(text);
  return same.length || exact ? same : part;
}

function sayersOf(text) {
  const wanted = clean(text).toLowerCase();
  const same = [];
  const part = [];
  if (!wanted) return { same, part };
  eachRendered((el) => {
    const own = clean(el[DOM.textContent] || "").toLowerCase();
    const said = el[DOM.localName] === "input" && /^(submit|button|reset)$/.test(el.type) ? el.value.toLowerCase() : "";
    if (!own.includes(wanted) && said !== wanted && !shadowOf(el)) return el[DOM.localName] === "slot" || el[DOM.querySelector]("slot") !== null;
    if (innerHas(el, wanted) || !(own.includes(wanted) || said === wanted) || !isVisible(el)) return true;
    (own === wanted || said === wanted ? same : part).push(el);
    return true;
  });
  return { same, part };
}

function innerHas(el, wanted) {
  for (const kid of childrenOf(el)) {
    if (kid[DOM.nodeType] === 1 && clean(kid[DOM.textContent] || "").toLowerCase().includes(wanted)) return true;
  }
  return false;
}

// ---- answers ----

function query(options) {
  const found = resolve(options.target);
  if (found.error) return { count: 0, items: [], error: found.error };
  const items = found.nodes.slice(0, options.limit || MATCH_LIMIT).map((el) => facts(el, options.attributes));
  if (options.whole) readWhole(items, found.nodes);
  return { count: found.nodes.length, items, window: windowFacts() };
}

// Characters that are read of all elements together: boxes in boxes say the same again and again.
const READ_LIMIT = 1000000;

// All of what each element says, with its lines, where its text is not all of it.
function readWhole(items, nodes) {
  let room = READ_LIMIT;
  items.forEach((item, index) => {
    const content = room > 0 ? textOf(nodes[index]).trim() : "";
    item.cut = room <= 0 || content.length > room;
    room -= content.length;
    if (!item.cut && content !== item.text) item.content = content;
  });
}

// What is in view, and how far the document is.
function windowFacts() {
  return { width: innerWidth, height: innerHeight, x: scrollX, y: scrollY, ready: document.readyState };
}

function facts(el, wanted) {
  const role = roleOf(el);
  const out = {
    ref: refOf(el), tag: el[DOM.localName], role, name: nameOf(el), text: shorten(clean(textOf(el)), 500),
    attributes: attributesOf(el, wanted), box: boxOf(el), control: isInControl(el), visible: isVisible(el), enabled: !isDisabled(el),
  };
  const checked = checkedOf(el, role);
  if (checked === "mixed") out.state = "mixed";
  else if (checked) out.checked = checked === "true";
  const value = valueOf(el, role);
  if (value !== null) out.value = value;
  if (isField(el)) Object.assign(out, fieldFacts(el));
  return out;
}

// Whether a click on it is a click on a control. What only scrolls is none.
function isInControl(el) {
  for (let n = el; n; n = parentOf(n)) {
    const { item } = recOf(n);
    if (item && item.role !== "scrollable") return true;
  }
  return false;
}

// What has to be known to fill a field and send its form.
function fieldFacts(el) {
  const out = { kind: fieldKind(el) };
  if (el[DOM.localName] === "select") out.options = [...el.options].slice(0, 500).map((option) => option.label.trim());
  const submit = (el.form instanceof HTMLFormElement && submitterOf(el.form)) || buttonNear(el);
  if (submit) out.submit = refOf(submit);
  return out;
}

// The button that a form is sent with when Enter is pressed in it.
function submitterOf(form) {
  const buttons = [...form.elements].filter((el) => el.type === "submit" || el.type === "image");
  return buttons.find((el) => isVisible(el)) ?? null;
}

// Pages without a form have a button beside their fields: the only one in the smallest part that has any.
function buttonNear(el) {
  for (let n = parentOf(el); n; n = parentOf(n)) {
    if (!(n instanceof Element)) continue;
    const near = [...n[DOM.querySelectorAll]("button, input[type=button], input[type=submit], [role=button]")];
    const seen = near.filter((button) => isVisible(button));
    if (seen.length) return seen.length === 1 ? seen[0] : null;
  }
  return null;
}

// The text of an element, without what is written in secret fields in or around it.
function textOf(el, text = shownText(el)) {
  const around = el[DOM.closest](EDITORS);
  if (around && isSecret(around)) return maskedValue(around);
  for (const editor of el[DOM.querySelectorAll](EDITORS)) {
    const secret = isSecret(editor) ? shownText(editor).trim() : "";
    if (secret) text = text.replaceAll(secret, MASK);
  }
  return text;
}

const EDITORS = "[contenteditable]:not([contenteditable=false])";

function attributesOf(el, wanted) {
  const out = {};
  const secret = isSecret(el);
  for (const { name, value } of el[DOM.attributes]) {
    if (Array.isArray(wanted) && !wanted.includes(name)) continue;
    if (!wanted && !/^(id|class|href|src|name|type|value|placeholder|title|alt|role|aria-label|data-testid)$/.test(name)) continue;
    out[name] = secret && name === "value" ? (value ? MASK : "") : shorten(value, 300);
  }
  return out;
}

function resolveNamed(options) {
  const found = resolve(options.target);
  if (found.error) return { matches: [], near: [], error: found.error };
  const matches = found.nodes.slice(0, MATCH_LIMIT).map((el) => ({ ref: refOf(el), description: describe(el) }));
  const near = matches.length ? [] : nearMatches(options.target);
  return { matches, count: found.nodes.length, near };
}
