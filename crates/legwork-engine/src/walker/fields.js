// Owns: setting what the keyboard cannot: pickers, lists, the focus.
// Refuses: clicks and keys, which come from the browser.

function focusField({ ref, caret }) {
  const el = nodeOf(ref);
  if (!el) return { focused: false };
  const select = caret === "all";
  const kept = caret === "kept" && focusedElement() === el;
  if (!kept) el.focus({ preventScroll: true });
  if (kept) {
    // The caret is where the last key left it.
  } else if (el.isContentEditable) {
    const selection = getSelection();
    selection.selectAllChildren(el);
    if (!select) selection.collapseToEnd();
  } else if (select) {
    el.select?.();
  } else if (typeof el.value === "string") {
    try { el.setSelectionRange(el.value.length, el.value.length); } catch { /* not a text field */ }
  }
  // What the focus alone set in motion is no effect of the keys that follow.
  queueMicrotask(() => { armed.moved = false; });
  return { focused: focusedElement() === el, empty: (el.value ?? shownText(el)) === "" };
}

// Sets fields that have a picker instead of a caret: date, time, range, colour.
function setValue({ ref, value }) {
  const el = nodeOf(ref);
  el.focus({ preventScroll: true });
  const before = el.value;
  if (!keeps(el, value)) {
    const got = el.value;
    el.value = before;
    return { accepted: false, got, expects: expectedFormat(el) };
  }
  el.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  el.dispatchEvent(new Event("change", { bubbles: true }));
  return { accepted: true };
}

// Whether such a field would take a value, said without touching it: one like it that is in no page is asked.
function takesValue({ ref, value }) {
  const el = nodeOf(ref);
  if (!el) return { accepted: true };
  const like = document.createElement("input");
  for (const name of ["type", "min", "max", "step"]) {
    if (el.hasAttribute(name)) like.setAttribute(name, el.getAttribute(name));
  }
  return { accepted: keeps(like, value), expects: expectedFormat(el) };
}

function keeps(el, value) {
  el.value = value;
  const isNumber = el.type === "range" || el.type === "number";
  return isNumber ? Number(el.value) === Number(value) : el.value.toLowerCase() === value.toLowerCase();
}

function expectedFormat(el) {
  const formats = {
    date: "a date such as 2026-11-30", time: "a time such as 14:30", month: "a month such as 2026-11",
    "datetime-local": "a moment such as 2026-11-30T14:30", week: "a week such as 2026-W48",
    color: "a colour such as #ff8800", number: "a number", range: `a number from ${el.min || 0} to ${el.max || 100}`
      + (el.step && el.step !== "any" ? ` in steps of ${el.step}` : ""),
  };
  return formats[el.type] || "another value";
}

// Chooses in a native select by value, label or index.
function chooseOptions({ ref, choices }) {
  const el = nodeOf(ref);
  const options = [...el.options];
  const chosen = [];
  for (const choice of choices) {
    const option = findOption(options, choice);
    if (!option) return { missing: choice, options: options.slice(0, 40).map((o) => safe(clean(o.label))) };
    if (option.disabled || option.parentNode.disabled) return { disabled: safe(clean(option.label)) };
    chosen.push(option);
  }
  if (chosen.length > 1 && !el.multiple) return { single: true };
  el.focus({ preventScroll: true });
  for (const option of options) {
    if (el.multiple) option.selected = chosen.includes(option);
  }
  if (!el.multiple) chosen[0].selected = true;
  el.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  el.dispatchEvent(new Event("change", { bubbles: true }));
  return { chosen: chosen.map((option) => safe(clean(option.label))) };
}

function findOption(options, choice) {
  if (choice.index !== undefined) return options[choice.index];
  if (choice.value !== undefined) return options.find((option) => option.value === choice.value);
  const wanted = fold(choice.label);
  return options.find((option) => option.label.trim() === choice.label.trim())
    ?? options.find((option) => fold(option.label) === wanted)
    ?? options.find((option) => option.value === choice.label)
    ?? only(options.filter((option) => fold(option.label).includes(wanted)));
}

function fold(text) {
  return text.trim().replace(/\s+/g, " ").toLowerCase();
}

function only(list) {
  return list.length === 1 ? list[0] : undefined;
}

// The element a person would click instead of a hidden checkbox or radio button.
function clickableFor({ ref }) {
  const el = nodeOf(ref);
  if (isVisible(el) && visibleRects(el).length > 0) return { ref };
  const label = [...(el.labels ?? [])].find((one) => isVisible(one)) ?? el.closest("label");
  return { ref: refOf(label ?? el) };
}

const LISTS = "[role=listbox],[role=menu],[role=tree],[role=grid],[popover],ul,ol,datalist";
let listsBefore = new Set();
let itemsBefore = new Set();

// Remembers which lists are open, so that the one a control opens is told from the others.
function noteLists() {
  listsBefore = new Set(visibleLists());
  update(false);
  itemsBefore = new Set(listed.map((item) => item.el));
  return {};
}

function visibleLists() {
  return allRoots().flatMap((root) => [...root.querySelectorAll(LISTS)]).filter((one) => isVisible(one));
}

// The option of a custom list: in a list that belongs to the control, or that opened with it.
function findListOption({ ref, choice, opened }) {
  const el = nodeOf(ref);
  const editable = el && (el.localName === "input" || el.isContentEditable);
  const lists = ownLists(el).filter((one) => isVisible(one));
  if (opened) lists.push(...visibleLists().filter((one) => !listsBefore.has(one) && !lists.includes(one)));
  let options = [...new Set(lists.flatMap(listOptions))].filter((one) => isVisible(one));
  if (opened && !options.length) options = appeared(el);
  const texts = options.map((one) => nameOf(one) || one.textContent.trim());
  const at = pickOption(options, texts, choice);
  return {
    ref: at === -1 ? null : refOf(options[at]), options: texts.slice(0, 30), editable: Boolean(editable),
  };
}

// A dropdown without any markup of a list: what there is to click since it was opened.
function appeared(control) {
  update(false);
  const fresh = listed.filter((item) => !itemsBefore.has(item.el) && !FIELD_ROLES.has(item.role) && item.role !== "scrollable");
  return [...new Set(fresh.map((item) => item.el))].filter((one) => one !== control && isVisible(one));
}

function ownLists(el) {
  if (!el) return [];
  if (roleOf(el) === "listbox") return [el];
  const named = [...idRefs(el, "aria-controls"), ...idRefs(el, "aria-owns")];
  return [...named, ...el.querySelectorAll(LISTS)];
}

function listOptions(list) {
  const marked = [...list.querySelectorAll("[role=option],[role^=menuitem],[role=treeitem]")];
  return marked.length > 0 ? marked : [...list.querySelectorAll("li")];
}

function pickOption(options, texts, choice) {
  if (choice.index !== undefined) return choice.index < options.length ? choice.index : -1;
  if (choice.value !== undefined) {
    return options.findIndex((one) => [one.getAttribute("data-value"), one.getAttribute("value"), one.id]
      .includes(choice.value));
  }
  const wanted = fold(choice.label);
  const exact = texts.findIndex((text) => fold(text) === wanted);
  if (exact !== -1) return exact;
  const part = texts.flatMap((text, index) => (fold(text).includes(wanted) ? [index] : []));
  return part.length === 1 ? part[0] : -1;
}
