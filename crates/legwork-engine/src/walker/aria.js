// Owns: roles, states and values as Chrome's accessibility tree has them
// (HTML-AAM and ARIA; role spellings are ARIA's where ARIA has one).
// Refuses: names (name.js) and anything about how they are shown.

const ROLES = new Set(("alert alertdialog application article banner blockquote button caption cell checkbox code " +
  "columnheader combobox comment complementary contentinfo definition deletion dialog directory document emphasis " +
  "feed figure form generic graphics-document graphics-object graphics-symbol grid gridcell group heading img image " +
  "insertion link list listbox listitem log main mark marquee math menu menubar menuitem menuitemcheckbox " +
  "menuitemradio meter navigation none note option paragraph presentation progressbar radio radiogroup region row " +
  "rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong subscript suggestion " +
  "superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem " +
  "sectionheader sectionfooter doc-abstract doc-acknowledgments doc-afterword doc-appendix doc-backlink doc-biblioentry " +
  "doc-bibliography doc-biblioref doc-chapter doc-colophon doc-conclusion doc-cover doc-credit doc-credits " +
  "doc-dedication doc-endnote doc-endnotes doc-epigraph doc-epilogue doc-errata doc-example doc-footnote doc-foreword " +
  "doc-glossary doc-glossref doc-index doc-introduction doc-noteref doc-notice doc-pagebreak doc-pagelist doc-part " +
  "doc-preface doc-prologue doc-pullquote doc-qna doc-subtitle doc-tip doc-toc").split(" "));

const TAG_ROLES = {
  address: "group", article: "article", blockquote: "blockquote", button: "button", caption: "caption",
  code: "code", dd: "definition", del: "deletion", details: "group", dfn: "term", dialog: "dialog",
  dt: "term", em: "emphasis", fieldset: "group", figure: "figure", figcaption: "figcaption", hr: "separator",
  hgroup: "group", ins: "insertion", main: "main", mark: "mark", math: "math", menu: "list", meter: "meter",
  nav: "navigation", ol: "list", optgroup: "group", output: "status", p: "paragraph", progress: "progressbar",
  search: "search", strong: "strong", sub: "subscript", sup: "superscript", tbody: "rowgroup",
  textarea: "textbox", tfoot: "rowgroup", thead: "rowgroup", time: "time", ul: "list", svg: "img", dl: "list",
  h1: "heading", h2: "heading", h3: "heading", h4: "heading", h5: "heading", h6: "heading", label: "label",
  legend: "legend", iframe: "iframe", frame: "iframe", canvas: "canvas", video: "video", audio: "audio",
  embed: "embed", object: "object", abbr: "abbr", ruby: "ruby", rt: "rt", s: "deletion", option: "option",
};

const INPUT_ROLES = {
  button: "button", submit: "button", reset: "button", image: "button", checkbox: "checkbox", radio: "radio",
  range: "slider", number: "spinbutton", search: "searchbox", color: "color", file: "button", date: "date",
  "datetime-local": "date", month: "date", week: "date", time: "time input", hidden: "none",
};

const GLOBAL_ARIA = ["aria-label", "aria-labelledby", "aria-describedby", "aria-live", "aria-busy", "aria-controls",
  "aria-owns", "aria-atomic", "aria-relevant", "aria-current", "aria-details", "aria-flowto", "aria-keyshortcuts",
  "aria-roledescription"];

function roleOf(el) {
  const attribute = el[DOM.getAttribute]("role");
  if (attribute) {
    const role = explicitRole(el, attribute);
    if (role) return role;
  }
  return nativeRole(el);
}

function explicitRole(el, attribute) {
  for (let token of attribute.toLowerCase().split(/\s+/)) {
    if (!ROLES.has(token)) continue;
    if (token === "presentation" || token === "none") {
      if (isFocusable(el) || hasGlobalAria(el)) return "";
      return "none";
    }
    if (token === "image") token = "img";
    if (token === "directory") token = "list";
    if (token === "region" && !hasAuthorName(el)) continue;
    return token;
  }
  return "";
}

function hasGlobalAria(el) {
  return GLOBAL_ARIA.some((name) => el[DOM.hasAttribute](name));
}

function hasAuthorName(el) {
  return Boolean((el[DOM.getAttribute]("aria-label") || "").trim() || idRefs(el, "aria-labelledby").length ||
    (el[DOM.getAttribute]("title") || "").trim());
}

function isFocusable(el) {
  if (el.disabled) return false;
  if (el[DOM.hasAttribute]("tabindex")) return !Number.isNaN(parseInt(el[DOM.getAttribute]("tabindex"), 10));
  switch (el[DOM.localName]) {
    case "a": case "area": return el[DOM.hasAttribute]("href") || el[DOM.hasAttribute]("xlink:href");
    case "button": case "select": case "textarea": case "iframe": case "summary": return true;
    case "input": return el.type !== "hidden";
    default: return el[DOM.isContentEditable] && isEditingHost(el);
  }
}

function isEditingHost(el) {
  const value = el[DOM.getAttribute]("contenteditable");
  return value !== null && value !== "false";
}

function nativeRole(el) {
  const tag = el[DOM.localName];
  switch (tag) {
    case "div": case "span": return "generic";
    case "a": case "area":
      return el[DOM.hasAttribute]("href") || el[DOM.hasAttribute]("xlink:href") ? "link" : "generic";
    case "input": return inputRole(el);
    case "select": return el.multiple || el.size > 1 ? "listbox" : "combobox";
    case "img": return imageRole(el);
    case "li": return inList(el) ? "listitem" : "generic";
    case "header": return inSection(el) ? "sectionheader" : "banner";
    case "footer": return inSection(el) ? "sectionfooter" : "contentinfo";
    case "section": return hasAuthorName(el) ? "region" : "generic";
    case "form": return "form";
    case "aside": return inSection(el) && !hasAuthorName(el) ? "generic" : "complementary";
    case "summary": return el[DOM.parentNode] && el[DOM.parentNode][DOM.localName] === "details" ? "disclosure" : "generic";
    case "table": case "tr": case "td": case "th": case "tbody": case "thead": case "tfoot":
      return tableRole(el, tag);
    default: return TAG_ROLES[tag] || "generic";
  }
}

function inputRole(el) {
  const type = el.type;
  const role = INPUT_ROLES[type];
  if (role === "button" && el[DOM.hasAttribute]("aria-pressed")) return "button";
  if (role === "checkbox" && el[DOM.hasAttribute]("switch")) return "switch";
  if (role && role !== "searchbox") return role;
  if (el[DOM.hasAttribute]("list") && el.list) return "combobox";
  return role || "textbox";
}

function imageRole(el) {
  const alt = el[DOM.getAttribute]("alt");
  if (alt !== "") return "img";
  return isFocusable(el) || hasGlobalAria(el) || el[DOM.hasAttribute]("title") ? "img" : "none";
}

function inList(el) {
  const parent = parentOf(el);
  if (!parent) return false;
  const role = parent[DOM.getAttribute]("role");
  if (role) return /\b(list|directory)\b/.test(role);
  const tag = parent[DOM.localName];
  return tag === "ul" || tag === "ol" || tag === "menu";
}

const SECTIONS = new Set(["article", "aside", "main", "nav", "section"]);
const SECTION_ROLES = new Set(["article", "complementary", "main", "navigation", "region"]);

function inSection(el) {
  for (let n = parentOf(el); n; n = parentOf(n)) {
    const role = n[DOM.getAttribute]("role");
    if (role ? SECTION_ROLES.has(role) : SECTIONS.has(n[DOM.localName])) return true;
  }
  return false;
}

function tableRole(el, tag) {
  const table = tag === "table" ? el : el[DOM.closest]("table");
  if (!table) return "generic";
  const role = table[DOM.getAttribute]("role");
  if (role === "presentation" || role === "none") return "none";
  const grid = role === "grid" || role === "treegrid";
  if (tag === "table") return isLayoutTable(el) ? "layout table" : "table";
  if (tag === "tr") return isLayoutTable(table) ? "layout row" : "row";
  if (tag === "tbody" || tag === "thead" || tag === "tfoot") return "rowgroup";
  if (isLayoutTable(table)) return "layout cell";
  if (tag === "th") return headerRole(el);
  return grid ? "gridcell" : "cell";
}

function headerRole(th) {
  const scope = (th[DOM.getAttribute]("scope") || "").toLowerCase();
  if (scope === "row" || scope === "rowgroup") return "rowheader";
  if (scope === "col" || scope === "colgroup") return "columnheader";
  const row = th[DOM.parentNode];
  if (row && row[DOM.parentNode] && row[DOM.parentNode][DOM.localName] === "thead") return "columnheader";
  for (let n = row && row[DOM.firstElementChild]; n; n = n[DOM.nextElementSibling]) {
    if (n[DOM.localName] !== "th") return "rowheader";
  }
  return "columnheader";
}

// Chrome calls a table without any sign of data a layout table.
function isLayoutTable(table) {
  const role = table[DOM.getAttribute]("role");
  if (role) return false;
  const rec = recOf(table);
  if (rec.layout === undefined || rec.layoutEpoch !== epoch) {
    rec.layout = !hasDataSigns(table);
    rec.layoutEpoch = epoch;
  }
  return rec.layout;
}

function hasDataSigns(table) {
  if (table[DOM.isContentEditable] || table.caption || table.tHead || table.tFoot) return true;
  if (table[DOM.getAttribute]("summary") || table[DOM.querySelector]("colgroup, col")) return true;
  if (table[DOM.querySelector]("th, td[headers], td[abbr], td[axis], td[scope]")) return true;
  return looksRuled(table);
}

function looksRuled(table) {
  const rows = table.rows;
  if (!rows.length) return false;
  const columns = Math.max(...[...rows].slice(0, 20).map((row) => row.cells.length));
  if (rows.length === 1 && columns === 1) return false;
  if (rows.length >= 20) return true;
  let cells = 0;
  let ruled = 0;
  let tinted = 0;
  const behind = getComputedStyle(table).backgroundColor;
  for (const row of rows) {
    for (const cell of row.cells) {
      cells++;
      const style = getComputedStyle(cell);
      const sides = [style.borderTopWidth, style.borderBottomWidth, style.borderLeftWidth, style.borderRightWidth];
      if (sides.some((width) => width !== "0px")) ruled++;
      if (style.backgroundColor !== behind && alphaOf(style.backgroundColor) === 1) tinted++;
    }
  }
  if (columns === 1 || rows.length === 1) return false;
  return ruled * 2 >= cells || tinted * 2 >= cells;
}

// ---- states and values ----

function headingLevel(el) {
  const level = parseInt(el[DOM.getAttribute]("aria-level"), 10);
  if (level > 0) return level;
  const m = /^h([1-6])$/.exec(el[DOM.localName]);
  return m ? Number(m[1]) : 2;
}

function ariaState(el, name) {
  const value = el[DOM.getAttribute]("aria-" + name);
  return value === "true" || value === "false" || value === "mixed" ? value : "";
}

const CHECKS = new Set(["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio", "option", "treeitem"]);

function checkedOf(el, role) {
  if (el[DOM.localName] === "input" && (el.type === "checkbox" || el.type === "radio")) {
    return el.indeterminate ? "mixed" : String(el.checked);
  }
  return CHECKS.has(role) ? ariaState(el, "checked") : "";
}

const FORM_TAGS = new Set(["button", "input", "select", "textarea", "option", "optgroup", "fieldset"]);

function isDisabled(el) {
  if ((FORM_TAGS.has(el[DOM.localName]) || el[DOM.localName].includes("-")) && el[DOM.matches](":disabled")) return true;
  if (!anyMuted()) return false;
  for (let n = el, i = 0; n && i < 30; n = parentOf(n), i++) {
    if (n[DOM.getAttribute]("aria-disabled") === "true") return n === el || isComposite(n);
    if (n[DOM.hasAttribute]("inert")) return true;
  }
  return false;
}

// Whether the page has any aria-disabled or inert at all.
const anyMuted = perShape(() => allRoots().some((root) => root[DOM.querySelector]('[aria-disabled="true"], [inert]') !== null));

function isComposite(el) {
  return /^(toolbar|menu|menubar|radiogroup|tablist|listbox|grid|tree|group|combobox)$/.test(roleOf(el));
}

// The value a field holds, as text; null where the role has none. Of a secret,
// only whether there is one.
function valueOf(el, role) {
  return isSecret(el) ? maskedValue(el) : plainValue(el, role);
}

// What may be said of a secret field: dots, always as many, or nothing.
function maskedValue(el) {
  return plainValue(el, "textbox") ? MASK : "";
}

const MASK = "••••";

function plainValue(el, role) {
  switch (el[DOM.localName]) {
    case "input":
      if (el.type === "file") return [...(el.files || [])].map((file) => file.name).join(", ");
      if (/^(checkbox|radio|button|submit|reset|image|hidden)$/.test(el.type)) return null;
      return el.value;
    case "textarea": return el.value;
    case "select": return [...el.selectedOptions].map((option) => optionText(option)).join(", ");
    case "progress": return el[DOM.hasAttribute]("value") ? String(el.value) + "/" + el.max : "";
    case "meter": return String(el.value) + (el.max === 1 ? "" : "/" + el.max);
    default: return ariaValue(el, role);
  }
}

function ariaValue(el, role) {
  if (/^(slider|spinbutton|scrollbar|progressbar|meter|separator)$/.test(role)) {
    return el[DOM.getAttribute]("aria-valuetext") || el[DOM.getAttribute]("aria-valuenow") || "";
  }
  if (role === "textbox" || role === "searchbox") return shownText(el).trim();
  if (role === "combobox") return comboText(el);
  return null;
}

// A custom combobox says its value in its own text, or in the field inside it.
function comboText(el) {
  const field = el[DOM.querySelector]("input, textarea, select");
  if (field) return valueOf(field, "textbox") || "";
  return clean(shownText(el));
}

function optionText(option) {
  return clean(option.label || option[DOM.textContent]);
}

const SECRET_AUTOCOMPLETE = /\b(current-password|new-password|one-time-code|cc-number|cc-csc|cc-exp(-month|-year)?)\b/;
const SECRET_NAME = /(^|[^a-z])(otp|cvc|cvv|csc|cvv2|passcode|totp|2fa|mfa|pin)([^a-z]|$)|one.?time.?(code|pass)|card.?(number|num|no|code)(?![a-z])|security.?code|pass(word|wd)(?![a-z])/i;

// Fields whose value must never leave the page.
function isSecret(el) {
  return isFilled(el) && (isSecretive(el) || holdsConfided(el));
}

function isFilled(el) {
  const tag = el[DOM.localName];
  return tag === "input" || tag === "textarea" || tag === "select" || isEditingHost(el);
}

// Those that are for secrets, whatever they hold.
function isSecretive(el) {
  if (el.type === "password" || recOf(el).wasPassword) {
    recOf(el).wasPassword = true;
    return true;
  }
  if (SECRET_AUTOCOMPLETE.test((el[DOM.getAttribute]("autocomplete") || "").toLowerCase())) return true;
  if (/^(checkbox|radio|button|submit|reset|image|range|color|file)$/.test(el.type || "")) return false;
  const words = (el[DOM.getAttribute]("name") || "") + " " + (el[DOM.id] || "");
  return SECRET_NAME.test(words.replace(/([a-z])([A-Z])/g, "$1_$2"));
}
