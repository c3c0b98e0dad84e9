// Owns: which elements one can act on, and what is said of each: shown name,
// value, options, states, hints.
// Refuses: where an item stands on the page and how it is punctuated.

const CONTROL_ROLES = new Set(("button link textbox searchbox checkbox radio switch combobox slider spinbutton tab " +
  "menuitem menuitemcheckbox menuitemradio option treeitem disclosure date color scrollbar doc-noteref doc-backlink " +
  "doc-biblioref doc-glossref").split(" ").concat("time input"));
const FIELD_ROLES = new Set(["textbox", "searchbox", "combobox", "slider", "spinbutton", "date", "time input", "color"]);
const NAME_LIMIT = 80;

// An item is immutable; a new one replaces it when anything it says changes.
function makeItem(el, role, look) {
  const value = itemValue(el, role);
  const named = shownName(el, role, value, look !== null && look.inkless === true);
  const item = {
    t: "i", el, role, name: named.name, hint: named.hint, aria: named.aria, full: named.full, value, extra: itemExtra(el, role),
    states: itemStates(el, role), tail: false, draw: "", key: "",
  };
  if (look && look.svg) item.draw = drawHint(el);
  else if (!item.name && !FIELD_ROLES.has(role)) item.draw = boxHint(el);
  item.key = [role, item.name, item.hint, item.aria, item.value, item.extra, item.states, item.draw].join("\u0002");
  const rec = recOf(el);
  if (rec.item && rec.item.key === item.key && rec.item.tail === item.tail) return rec.item;
  rec.item = item;
  return item;
}

// The role an element is listed under, or "" when it is not listed.
function itemRole(el, role, look, ctx) {
  if (look.svg && !CONTROL_ROLES.has(role) && !hasArea(el)) return "";
  if (role.startsWith("doc-") && CONTROL_ROLES.has(role)) return "link";
  if (CONTROL_ROLES.has(role)) return role === "option" ? optionRole(el) : role;
  if (role === "listbox" && el[DOM.localName] === "select") return "listbox";
  if (isEditingHost(el) && el[DOM.isContentEditable]) return "textbox";
  const tag = el[DOM.localName];
  if (tag === "body" || tag === "html" || tag === "label" || tag === "fieldset") return "";
  if (el[DOM.hasAttribute]("onclick") || el[DOM.hasAttribute]("ng-click") || el[DOM.hasAttribute]("jsaction")) return "clickable";
  if (look.pointer && !(ctx & POINTER)) return "clickable";
  const rec = el[RECORD];
  if (rec !== undefined && rec.listens && (look.pointer || listensForItself(el))) return "clickable";
  const tabindex = el[DOM.getAttribute]("tabindex");
  if (tabindex !== null && el[DOM.tabIndex] >= 0 && !look.scroll && !COMPOSITES.has(role)) return "clickable";
  if (el[DOM.draggable] && tag !== "img" && tag !== "a") return "draggable";
  return "";
}

const DELEGATES = "a, button, input, select, textarea, summary, [role=button], [role=link], [onclick], [tabindex]";

// A list or card that listens on behalf of the controls in it is no control itself.
function listensForItself(el) {
  return el[DOM.childElementCount] < 12 && !el[DOM.querySelector](DELEGATES);
}

const COMPOSITES = new Set(("dialog alertdialog grid listbox menu menubar radiogroup tablist tree treegrid toolbar " +
  "tabpanel region main application document").split(" "));

function optionRole(el) {
  return el[DOM.localName] === "option" ? "" : "option";
}

// ---- names ----

// What is seen of a name, what only a screen reader says, and the name in full, by which it is found.
function shownName(el, role, value, inkless) {
  const bare = role === "clickable" || role === "draggable";
  const said = heardAndSeen(() => (bare ? clickableName(el, inkless) : nameAs(el, role, inkless)));
  let name = stripIcons(el, said.all);
  if (role === "combobox" && el[DOM.localName] !== "select" && name === value) name = "";
  const title = el[DOM.getAttribute]("title");
  if (name.length < 4 && title && !/[\p{L}\p{N}]/u.test(name)) name = clean(name + " " + title);
  if (!name) return hintedName(el, role);
  if (!FIELD_ROLES.has(role) && (el[DOM.hasAttribute]("aria-label") || el[DOM.hasAttribute]("aria-labelledby"))) {
    const { seen } = heardAndSeen(() => clean(contentText(el, { seen: new Set(), labelled: true, inkless }, 0)));
    const read = stripIcons(el, seen);
    if (isOtherwise(name, read)) return partedName(read, name, hasWords(name, read) ? name : read);
  }
  const untold = stripIcons(el, said.hidden);
  const seen = untold && stripIcons(el, said.seen);
  if (isUnseen(untold, seen, role)) return partedName(unmarked(seen, role), untold, unmarked(name, role));
  name = shorten(unmarked(name, role), NAME_LIMIT);
  return { name, hint: "", aria: "", full: name };
}

const FULL_LIMIT = 200;

function partedName(name, aria, full) {
  return { name: shorten(name, NAME_LIMIT), hint: "", aria: shorten(aria, 100), full: shorten(full, FULL_LIMIT) };
}

// The sign of a field that must be filled, and the colon before it, are no part of its name.
function unmarked(name, role) {
  return FIELD_ROLES.has(role) ? name.replace(/\s*[:*]+\s*$/, "") || name : name;
}

const UNMARKED_LABEL = 60;
const UNMARKED_MORE = 30;

// Whether a label says something else than what is to be read, or much more: then it is told as what it is.
// One that is long and stands for nothing that is seen is, too.
function isOtherwise(label, seen) {
  if (!/\p{L}{2}/u.test(seen)) return label.length > UNMARKED_LABEL;
  return label.length > seen.length + UNMARKED_MORE || (!hasWords(label, seen) && !hasWords(seen, label));
}

function hasWords(text, words) {
  const plain = (one) => " " + one.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim() + " ";
  return plain(text).includes(plain(words));
}

// Whether the part of a name that nobody sees is told apart from what is seen. A sign or a picture needs its
// words, if they are few, and a field any.
function isUnseen(hidden, seen, role) {
  if (!/\p{L}/u.test(hidden)) return false;
  return /\p{L}/u.test(seen) || (hidden.length > UNMARKED_LABEL && !FIELD_ROLES.has(role));
}

function clickableName(el, inkless) {
  const label = el[DOM.getAttribute]("aria-label");
  if (label && label.trim()) return clean(label);
  return clean(contentText(el, { seen: new Set([el]), labelled: false, inkless }, 0)) || nameAs(el, roleOf(el), inkless);
}

const ICON_CLASS = /material-(icons|symbols)|(^|[\s_-])(icons?|glyphicons?|fa|fas|far|fab|mdi|bi|ti|codicon)([\s_-]|$)/i;
const PRIVATE_USE = /[\ue000-\uf8ff]|[\udb80-\udbff][\udc00-\udfff]/g;

// Ligature fonts draw "delete" as a bin: that word is a picture, not a name.
function stripIcons(el, text) {
  let out = text.replace(PRIVATE_USE, "");
  if (out && el[DOM.firstElementChild] && el[DOM.localName] !== "select") {
    for (const icon of el[DOM.querySelectorAll]("i, span, mat-icon, em")) {
      const word = icon[DOM.firstElementChild] ? "" : clean(icon[DOM.textContent]);
      if (!word || !/^[a-z][a-z0-9_ ]{1,30}$/.test(word) || !isIconFont(icon)) continue;
      out = (" " + out + " ").replace(" " + word + " ", " ");
    }
  } else if (out && /^[a-z][a-z0-9_]{2,30}$/.test(out) && el[DOM.className] && isIconFont(el)) {
    out = "";
  }
  return clean(out);
}

// Elements of one class have one font, so each class is asked about once per walk.
let iconFonts = new Map();
let iconFontsAt = -1;

function isIconFont(el) {
  if (iconFontsAt !== walks) {
    iconFontsAt = walks;
    iconFonts = new Map();
  }
  const cls = el[DOM.getAttribute]("class") || "";
  const key = cls && el[DOM.localName] + "." + cls;
  let answer = key ? iconFonts.get(key) : undefined;
  if (answer === undefined) {
    answer = drawsIcons(el, cls);
    iconFonts.set(key, answer);
  }
  return answer;
}

// The first font counts: many font lists end in "Segoe UI Symbol".
function drawsIcons(el, cls) {
  const named = ICON_CLASS.test(cls) || el[DOM.localName] === "mat-icon";
  const family = getComputedStyle(el).fontFamily.split(",")[0];
  return /icon|symbol|awesome|glyph/i.test(family) || (named && /material/i.test(cls));
}

// No name in the markup: what a person would go by instead.
function hintedName(el, role) {
  const near = FIELD_ROLES.has(role) || role === "checkbox" || role === "radio" ? neighbourText(el) : "";
  if (near) return { name: near, hint: "", aria: "", full: near };
  const word = iconWord(el);
  if (word) return { name: "", hint: word + "?", aria: "", full: "" };
  return { name: "", hint: "", aria: "", full: "" };
}

// Text right before a field (or right after a box to tick) in the same small container.
function neighbourText(el) {
  const after = el.type === "checkbox" || el.type === "radio";
  let from = el;
  for (let i = 0; i < 3 && from; i++) {
    const text = siblingText(from, after) || (after ? siblingText(from, false) : "");
    if (text) return i && (text.length > 30 || /[.!?]$/.test(text)) ? "" : text;
    from = parentOf(from);
    if (!from || from === document[DOM.body] || from[DOM.querySelectorAll]("input, select, textarea").length > 1) return "";
  }
  return "";
}

function siblingText(el, after) {
  let n = after ? el.nextSibling : el[DOM.previousSibling];
  for (let i = 0; n && i < 4; i++, n = after ? n.nextSibling : n[DOM.previousSibling]) {
    if (n[DOM.nodeType] === 1 && /^(input|select|textarea|button|br|hr|h[1-6])$/.test(n[DOM.localName])) return "";
    if (n[DOM.nodeType] === 1 && (!isRendered(n) || isEditingHost(n) || n[DOM.querySelector]("input, select, textarea, button, " + EDITORS))) return "";
    const text = n[DOM.nodeType] === 3 || n[DOM.nodeType] === 1 ? clean(n[DOM.textContent]) : "";
    if (!text) continue;
    const before = n[DOM.previousElementSibling];
    if (!after && before && before !== el && (before.type === "checkbox" || before.type === "radio")) return "";
    return text.length <= 60 ? text.replace(/\s*[:*]+\s*$/, "") : "";
  }
  return "";
}

// "fa fa-trash", "icon-trash", "#icon-trash", "trash.svg", data-icon="trash".
function iconWord(el) {
  const look = [...[...el[DOM.querySelectorAll]("*")].slice(0, 8), el];
  for (const n of look) {
    const direct = n[DOM.getAttribute]("data-icon") || n[DOM.getAttribute]("icon") || n[DOM.getAttribute]("data-testid");
    if (direct && /^[\w: -]{2,30}$/.test(direct)) return wordOf(direct.replace(/Icon$|-?icon-?/i, ""));
    const link = n[DOM.getAttribute]("href") || n[DOM.getAttribute]("xlink:href") || n[DOM.getAttribute]("src") || "";
    const file = n !== el && /(?:#|\/)(?:icon-)?([a-z][\w-]{1,24})(?:\.(?:svg|png|gif|webp))?$/i.exec(link);
    if (file) return wordOf(file[1]);
    const cls = String(n[DOM.getAttribute]("class") || "");
    const m = /(?:^|\s)(?:fa|icon|glyphicon|bi|mdi|ti|ui-icon|codicon|lucide|octicon)[-_]([a-z][\w-]*)/i.exec(cls) ||
      /(?:^|\s)([a-z][\w]*)[-_](?:icon|btn|button)(?:\s|$)/i.exec(cls);
    if (m) return wordOf(m[1]);
    if (n[DOM.childElementCount] === 0 && isIconFont(n) && /^[a-z][a-z0-9_]{1,30}$/.test(clean(n[DOM.textContent]))) {
      return wordOf(clean(n[DOM.textContent]));
    }
  }
  const own = /^[a-z]+(?:[-_][a-z]+){0,2}$/i.exec(String(el[DOM.id] || "") || String(el[DOM.className] || ""));
  return own ? wordOf(own[0]) : "";
}

function wordOf(text) {
  return shorten(text.replace(/[_-]+/g, " ").replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase().trim(), 30);
}

function shorten(text, limit) {
  if (text.length <= limit) return text;
  const cut = text.lastIndexOf(" ", limit - 1);
  return text.slice(0, cut > limit / 2 ? cut : limit - 1).trimEnd() + "…";
}

// ---- values, options, states ----

function itemValue(el, role) {
  if (role === "button" || role === "link" || role === "clickable") return fileValue(el);
  const value = FIELD_ROLES.has(role) || role === "listbox" ? valueOf(el, role) : null;
  if (!value) return "";
  return shorten(clean(value), 100);
}

function fileValue(el) {
  return el[DOM.localName] === "input" && el.type === "file" ? shorten(valueOf(el, "button") || "", 80) : "";
}

function itemExtra(el, role) {
  if (el[DOM.localName] === "select") return optionList([...el.options].map(optionText));
  if (role === "combobox" || (el[DOM.getAttribute]("aria-haspopup") === "listbox")) return optionList(popupOptions(el));
  if (role === "slider" || role === "spinbutton") return rangeText(el);
  if (el[DOM.localName] === "input" && el.type === "file") return el.multiple ? "(files)" : "(file)";
  if (FIELD_ROLES.has(role)) return formText(el);
  return "";
}

const FORMATS = { date: "yyyy-mm-dd", time: "hh:mm", "datetime-local": "yyyy-mm-ddThh:mm", month: "yyyy-mm", week: "yyyy-Www" };

// What an empty field waits for: the form of a date, or what is written in it in grey. A value shows that
// itself.
function formText(el) {
  const form = el[DOM.localName] === "input" ? FORMATS[el.type] : "";
  if (form && (el.min || el.max)) return "(" + (el.min || "") + " to " + (el.max || "") + ")";
  if (el.value) return "";
  if (form) return "(" + form + ")";
  const grey = clean(el[DOM.getAttribute]("placeholder") || "");
  return grey && grey !== nameOf(el) ? "(" + shorten(grey, 40) + ")" : "";
}

function popupOptions(el) {
  if (el[DOM.localName] === "input" && el.list) return [...el.list.options].map(optionText);
  for (const target of [...idRefs(el, "aria-controls"), ...idRefs(el, "aria-owns")]) {
    const found = [...target[DOM.querySelectorAll]("[role=option]")];
    if (found.length) return found.slice(0, 200).map((option) => clean(option[DOM.textContent]));
  }
  return [];
}

function optionList(all) {
  if (!all.length) return "";
  let out = "";
  let shown = 0;
  for (const text of all) {
    if (shown && (shown >= 8 || out.length + text.length > 90)) break;
    out += (shown ? ", " : "") + shorten(text, 40);
    shown++;
  }
  return "of " + out + (shown < all.length ? ", +" + (all.length - shown) : "");
}

function rangeText(el) {
  const native = el[DOM.localName] === "input";
  const low = native ? el.min || (el.type === "range" ? "0" : "") : el[DOM.getAttribute]("aria-valuemin") || "";
  const high = native ? el.max || (el.type === "range" ? "100" : "") : el[DOM.getAttribute]("aria-valuemax") || "";
  return low || high ? "(" + low + "-" + high + ")" : "";
}

function itemStates(el, role) {
  const out = [];
  const checked = checkedOf(el, role);
  if (checked === "true") out.push("checked");
  else if (checked === "mixed") out.push("mixed");
  if (ariaState(el, "selected") === "true" || (!el[DOM.hasAttribute]("aria-selected") && looksSelected(el, role))) out.push("selected");
  const current = el[DOM.getAttribute]("aria-current");
  if (current && current !== "false") out.push("current");
  const expanded = expandedOf(el);
  if (expanded) out.push(expanded === "true" ? "expanded" : "collapsed");
  const pressed = ariaState(el, "pressed");
  if (pressed && pressed !== "false") out.push(pressed === "mixed" ? "half-pressed" : "pressed");
  if (isDisabled(el) || /(^|[\s_-])(is-)?disabled($|\s)/.test(String(el[DOM.getAttribute]("class") || ""))) out.push("disabled");
  if (el.readOnly === true && FIELD_ROLES.has(role) && !/^(range|color)$/.test(el.type)) out.push("readonly");
  else if (el[DOM.getAttribute]("aria-readonly") === "true") out.push("readonly");
  if (el.required || el[DOM.getAttribute]("aria-required") === "true") out.push("required");
  const fault = invalidText(el);
  if (fault) out.push(fault);
  if (el[DOM.getAttribute]("aria-busy") === "true") out.push("busy");
  return out.join(" ");
}

function expandedOf(el) {
  if (el[DOM.localName] === "summary" && el[DOM.parentNode] && el[DOM.parentNode][DOM.localName] === "details") return String(el[DOM.parentNode].open);
  return ariaState(el, "expanded");
}

function invalidText(el) {
  const said = el[DOM.getAttribute]("aria-invalid");
  const marked = said && said !== "false";
  if (!marked && !(el.willValidate && el[DOM.matches](":user-invalid"))) return "";
  const message = idRefs(el, "aria-errormessage").map((n) => clean(n[DOM.textContent])).join(" ") ||
    (el.validity && !el.validity.valid ? el.validationMessage : "");
  return message ? "invalid (" + shorten(message, 80) + ")" : "invalid";
}

const CHOSEN = /(^|[\s_-])(active|selected|current|is-active|is-selected|checked|on)($|\s)/;

// Tabs and menus often say "chosen" by a class alone; it counts where siblings of the same kind lack it.
function looksSelected(el, role) {
  if (role !== "tab" && role !== "link" && role !== "button" && role !== "clickable" && role !== "option") return false;
  return chosenAmong(el) || (el[DOM.parentNode] && el[DOM.parentNode][DOM.localName] === "li" && chosenAmong(el[DOM.parentNode]));
}

function chosenAmong(el) {
  const cls = el[DOM.getAttribute]("class");
  if (!cls || !CHOSEN.test(cls)) return false;
  let others = 0;
  for (let n = el[DOM.parentNode] && el[DOM.parentNode][DOM.firstElementChild]; n && others < 30; n = n[DOM.nextElementSibling]) {
    if (n === el || n[DOM.localName] !== el[DOM.localName]) continue;
    if (CHOSEN.test(n[DOM.getAttribute]("class") || "")) return false;
    others++;
  }
  return others > 0;
}

// A drawn shape without a name is known by its look.
function drawHint(el) {
  const style = getComputedStyle(el);
  const box = el[DOM.getBoundingClientRect]();
  const fill = style.fill !== "none" ? style.fill : style.stroke;
  return el[DOM.localName] + ", " + colourName(fill) + ", " + Math.round(box.width) + "×" + Math.round(box.height) +
    " at " + Math.round(box.x) + "," + Math.round(box.y);
}

function hasArea(el) {
  const box = el[DOM.getBoundingClientRect]();
  return box.width > 1.5 || box.height > 1.5;
}

// An empty coloured box is known by its colour and size.
function boxHint(el) {
  if (el[DOM.firstElementChild] || el[DOM.localName] === "input") return "";
  const style = getComputedStyle(el);
  if (alphaOf(style.backgroundColor) === 0 || style.backgroundImage !== "none") return "";
  return colourName(style.backgroundColor) + " " + el[DOM.offsetWidth] + "×" + el[DOM.offsetHeight];
}

const COLOURS = {
  "0,0,0": "black", "255,255,255": "white", "255,0,0": "red", "0,255,0": "lime", "0,128,0": "green", "0,0,255": "blue",
  "255,255,0": "yellow", "255,165,0": "orange", "128,0,128": "purple", "255,192,203": "pink", "128,128,128": "grey",
  "0,255,255": "cyan", "255,0,255": "magenta", "165,42,42": "brown",
};

function colourName(value) {
  const m = /^rgba?\((\d+), (\d+), (\d+)/.exec(value || "");
  if (!m) return value || "";
  let best = "";
  let least = 60 * 60;
  for (const [key, name] of Object.entries(COLOURS)) {
    const [r, g, b] = key.split(",").map(Number);
    const far = (r - m[1]) ** 2 + (g - m[2]) ** 2 + (b - m[3]) ** 2;
    if (far < least) [best, least] = [name, far];
  }
  return best || "#" + [m[1], m[2], m[3]].map((n) => Number(n).toString(16).padStart(2, "0")).join("");
}
