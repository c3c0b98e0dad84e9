// Owns: what acting on an element would do, said before it is done: what it is, where it leads, which
// form it sends, and a seal that stands for all of it.
// Refuses: to judge.

// What the browser itself acts on comes first: an icon inside a button, whatever its role, is the button.
const NATIVE = "a[href],area[href],button,input,select,textarea,summary,label";
const ACTIVE = ["button", "link", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "tab", "switch", "checkbox",
  "radio", "combobox", "textbox", "searchbox", "slider", "spinbutton", "treeitem", "gridcell"];
const CONTROLS = NATIVE + ",[onclick],[contenteditable]," + ACTIVE.map((role) => "[role=" + role + "]").join(",");

// A page can give a form fields called "action" or "elements"; what the browser uses is behind these.
const formPart = (name) => {
  const { get } = Object.getOwnPropertyDescriptor(HTMLFormElement.prototype, name);
  return (form) => get.call(form);
};
const elementsOf = formPart("elements");

// A click goes to whatever is at the point, which may be a control inside the element that was named, also
// one that is a control only in that it listens for clicks.
function actedOn(el, point) {
  const hit = point ? deepHit(point.x, point.y) : el;
  const near = (from, kinds) => {
    const found = from[DOM.closest](kinds);
    return found && (el[DOM.contains](found) || found[DOM.contains](el)) ? found : null;
  };
  const from = hit && reaches(hit, el) ? hit : el;
  const own = near(from, NATIVE) ?? near(from, CONTROLS) ?? listedBetween(from, el)
    ?? near(el, NATIVE) ?? near(el, CONTROLS) ?? el;
  return own[DOM.localName] === "label" && own.control ? own.control : own;
}

// The innermost thing that snapshots list as a control, between what is hit and what was named.
function listedBetween(hit, el) {
  if (hit === el) return null;
  update(false);
  for (let node = hit; node && node !== el; node = parentOf(node)) if (isListed(node)) return node;
  return null;
}

// What is inside a frame or a plug-in is another document's: from here it cannot be told what a click does there.
// One that is pointed at is entered before; its border is this document's.
function entersAnother(el, point, pointed) {
  const kind = (point ? deepHit(point.x, point.y) : el)?.[DOM.localName];
  return kind === "object" || kind === "embed" || (!pointed && FRAMES.has(kind));
}

function factsOf(el, point) {
  const own = actedOn(el, point);
  const form = formOf(own);
  const sends = form !== null && isSubmitter(own);
  const facts = {
    ref: refOf(el), role: roleOf(own) || "", name: nameOf(own) || shorten(clean(textOf(own)), 200), description: describe(own),
    kind: fieldKind(own), holds: isEditable(own), secret: isSecret(own), link: linkOf(own), submits: sends, form: form && formFacts(form, sends ? own : null),
    around: aroundOf(own), document: location.href, terms: termsOf(own), method: methodOf(own), confirm: confirmOf(own),
  };
  const presses = form && defaultButton(own, form);
  const submitter = presses ? factsOf(presses, null) : null;
  return { ...facts, submitter, seal: sealOf({ ...facts, secret: isFilled(own) && isSecretive(own) }) };
}

// A seal of two lines stands for a field and for the button that Enter in it presses.
function isSealed(facts, seal) {
  return seal === facts.seal || seal === facts.seal + "\n" + (facts.submitter?.seal ?? "");
}

// What Enter in a field clicks: the first button of its form that sends it, wherever that stands.
// https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#implicit-submission
function defaultButton(field, form) {
  if (!["input", "select"].includes(field[DOM.localName]) || !isEditable(field)) return null;
  const buttons = field[DOM.getRootNode]()[DOM.querySelectorAll]("button,input[type=submit],input[type=image]");
  return [...buttons].find((one) => isSubmitter(one) && one.form === form) ?? null;
}

function formOf(el) {
  const form = el.form instanceof HTMLFormElement ? el.form : el[DOM.closest]("form");
  return form instanceof HTMLFormElement ? form : null;
}

function isSubmitter(el) {
  if (el[DOM.localName] === "button") return el.type === "submit";
  return el[DOM.localName] === "input" && (el.type === "submit" || el.type === "image");
}

function linkOf(el) {
  const link = el[DOM.closest]("a[href],area[href]");
  return link ? addressOf(link[DOM.getAttribute]("href")) : null;
}

// Frameworks make a link or a button ask for more than a page by an attribute.
const METHODS = ["data-method", "data-turbo-method", "data-http-method", "data-bs-method"];
const VERBS = ["delete", "post", "put", "patch"];

function methodOf(el) {
  const said = METHODS.map((name) => el[DOM.getAttribute](name)).find((method) => method);
  const verb = VERBS.find((one) => el[DOM.hasAttribute]("hx-" + one) || el[DOM.hasAttribute]("data-hx-" + one));
  return (said ?? verb ?? "").trim().toLowerCase();
}

const CONFIRMS = ["data-confirm", "data-turbo-confirm", "hx-confirm", "data-hx-confirm"];

function confirmOf(el) {
  return shorten(clean(CONFIRMS.map((name) => el[DOM.getAttribute](name)).find((text) => text) ?? ""), 200);
}

function addressOf(text) {
  try {
    return new URL(text ?? "", document.baseURI).href;
  } catch {
    return String(text);
  }
}

function formFacts(form, submitter) {
  const said = (name) => submitter?.[DOM.getAttribute]("form" + name) ?? form[DOM.getAttribute](name);
  const fields = new Set();
  let dirty = false;
  for (const field of [...elementsOf(form)].slice(0, 200)) {
    for (const word of wordsOfField(field)) fields.add(word);
    dirty ||= isDirty(field);
  }
  return {
    action: addressOf(said("action") || location.href), method: (said("method") || "get").toLowerCase(),
    name: nameOf(form) || aroundOf(form), fields: [...fields], dirty,
  };
}

function wordsOfField(field) {
  if (field[DOM.localName] === "button" || field[DOM.localName] === "fieldset") return [];
  const words = (field[DOM.getAttribute]("autocomplete") || "").toLowerCase().split(/\s+/);
  words.push(field.type || field[DOM.localName], (field[DOM.getAttribute]("name") || "").toLowerCase());
  return words.filter((word) => word && word !== "on" && word !== "off" && word !== "hidden" && word !== "submit");
}

// Something a person entered. Hidden fields are the page's own.
function isDirty(field) {
  if (field.type === "hidden") return false;
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  if (field[DOM.localName] === "select") return [...field.options].some((one) => one.selected !== one.defaultSelected && one.index > 0);
  return typeof field.defaultValue === "string" && field.value !== field.defaultValue;
}

// The title of the closest part of the page that has one.
function aroundOf(el) {
  for (let up = parentOf(el), steps = 0; up && steps < 12 && up !== document[DOM.body]; up = parentOf(up), steps++) {
    const titled = up[DOM.hasAttribute]("aria-label") || up[DOM.hasAttribute]("aria-labelledby");
    const head = titled ? null : up[DOM.querySelector]("h1,h2,h3,h4,h5,h6,legend,caption");
    const title = clean((titled ? nameOf(up) : head && textOf(head)) || "");
    if (title) return shorten(title, 120);
  }
  return "";
}

const AMOUNT = /(?:[$€£¥₹]|\b(?:USD|EUR|GBP|CHF|CAD|AUD|JPY)\b)\s?\d[\d.,'’ ]*\d|\d[\d.,'’ ]*\s?(?:[$€£¥₹]|\b(?:USD|EUR|GBP|CHF|CAD|AUD|JPY)\b)/g;

// The amounts of money around the element: what a person agrees to with a click.
function termsOf(el) {
  const part = el[DOM.closest]("form,dialog,[role=dialog],[role=alertdialog],section,article,main") ?? document[DOM.body] ?? el;
  const found = textOf(part).slice(0, 20000).match(AMOUNT) ?? [];
  return [...new Set(found.map((amount) => amount.replace(/\s+/g, " ").trim()))].slice(0, 12);
}

function sealOf({ role, name, kind, secret, link, method, confirm, submits, form, around }) {
  const where = location.origin + location.pathname;
  return JSON.stringify([role, name, kind, secret, link, method, confirm, submits, form && [form.action, form.method], around, where]);
}

// Whether something was entered in a form that was not sent.
function unsent() {
  const forms = document[DOM.querySelectorAll]("form");
  return { unsent: [...forms].some((form) => [...elementsOf(form)].slice(0, 200).some(isDirty)) };
}
