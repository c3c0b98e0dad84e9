// Owns: telling what a person does in the page while that is recorded.
// Refuses: events that scripts made up, and what secret fields hold.

let recording = false;
// The field that was typed into and not told yet.
let untold = null;
let telling = 0;
// Where Enter or the space bar went down last: clicks that the browser makes of them are theirs.
let keyed = null;
const TELL_AFTER = 300;
const TOLD_KEYS = new Set(["Enter", "Escape", "ArrowUp", "ArrowDown", "PageUp", "PageDown"]);
const TEXTLESS = new Set(["checkbox", "radio", "file", "submit", "button", "reset", "image"]);

function record(on) {
  if (!on) tellField();
  recording = on;
}

function tellAct(act, el, more) {
  // Labels may have come since the last walk.
  labelMapAt = -1;
  const element = el ? knownBy(el) : undefined;
  globalThis.__legworkPulse?.(JSON.stringify({ act, ...more, element }));
}

function heard(kind, tell) {
  addEventListener(kind, (event) => {
    if (!recording || !event.isTrusted) return;
    const hit = event.composedPath()[0];
    if (hit instanceof Element) tell(event, hit);
  }, HEARD);
}

heard("input", (event, hit) => {
  const field = fieldAround(hit);
  // Told apart here, since it is told later: what the engine enters, and what was a password then.
  if (!field || !holdsText(field) || performance.now() < ownUntil) return;
  isSecret(field);
  if (untold !== field) tellField();
  untold = field;
  clearTimeout(telling);
  telling = setTimeout(tellField, TELL_AFTER);
});
heard("change", (event, hit) => {
  if (hit[DOM.localName] === "select") tellChoice(hit);
  else if (hit.type === "file") tellAct("gave_files", hit, { files: [...hit.files].map((file) => file.name) });
  else if (hit.type === "checkbox" || hit.type === "radio") tellAct("checked", hit, { on: hit.checked });
  else tellField();
});
heard("focusout", () => tellField());
heard("keydown", (event, hit) => {
  if (event.key === "Enter" || event.key === " ") keyed = hit;
  const chord = chordOf(event, hit);
  if (!chord) return;
  tellField();
  tellAct("pressed", hit === document[DOM.body] ? null : fieldAround(hit) ?? hit, { key: chord });
});
heard("click", (event, hit) => {
  const el = clickedOn(hit);
  // Labels and the Enter key make clicks of their own; who clicked was told already.
  if (event.detail === 0 && (keyed === null || !(el[DOM.contains](keyed) && isPressedByKeys(keyed)))) return;
  if (isToldByChange(el)) return;
  tellField();
  tellAct("clicked", el, { button: "left", count: Math.max(1, Math.min(event.detail, 3)) });
});
heard("auxclick", (event, hit) => {
  if (event.button === 1) tellAct("clicked", clickedOn(hit), { button: "middle", count: 1 });
});
heard("contextmenu", (event, hit) => tellAct("clicked", clickedOn(hit), { button: "right", count: 1 }));
addEventListener("pagehide", () => tellField(), HEARD);

function tellField() {
  clearTimeout(telling);
  const field = untold;
  untold = null;
  if (!recording || !field) return;
  if (isSecret(field)) tellAct("entered_secret", field);
  else tellAct("filled", field, { value: readValue(field, field[DOM.localName]) ?? "" });
}

function tellChoice(list) {
  if (isSecret(list)) tellAct("entered_secret", list);
  else tellAct("chose", list, { options: [...list.selectedOptions].map(optionText) });
}

function fieldAround(el) {
  if (isField(el)) return el.isContentEditable ? el[DOM.closest](EDITORS) ?? el : el;
  return el[DOM.closest](EDITORS);
}

function holdsText(el) {
  return !TEXTLESS.has(el.type) && el[DOM.localName] !== "select";
}

// Keys that do something other than writing. A button's Enter is its click.
function chordOf(event, hit) {
  const field = fieldAround(hit);
  const writes = field !== null && holdsText(field);
  const held = [["Control", event.ctrlKey], ["Alt", event.altKey], ["Meta", event.metaKey]].filter(([, down]) => down).map(([name]) => name);
  if (/^(Control|Alt|Meta|Shift|Dead|Process)$/.test(event.key)) return "";
  if (held.length) return writes ? "" : [...held, event.key].join("+");
  if (!TOLD_KEYS.has(event.key)) return "";
  const multiline = field !== null && (field[DOM.localName] === "textarea" || field.isContentEditable);
  if (multiline && event.key !== "Escape") return "";
  if (event.key === "Enter") return writes ? "Enter" : "";
  // Choices and numbers that arrow keys change are told by what they become.
  if (field !== null && event.key !== "Escape" && !/^(text|search|email|url|tel|combobox)$/.test(fieldKind(field))) return "";
  return event.key;
}

function isPressedByKeys(el) {
  return !isField(el) || TEXTLESS.has(el.type);
}

function isToldByChange(el) {
  if (el[DOM.localName] === "select" || el[DOM.localName] === "option") return true;
  return el[DOM.localName] === "input" && (el.type === "checkbox" || el.type === "radio" || el.type === "file");
}

// The control that a click is for; where there is none, the largest thing that shows the hand.
function clickedOn(hit) {
  const own = actedOn(hit, null);
  if (own !== hit || own[DOM.matches](CONTROLS)) return own;
  const hand = (el) => el instanceof Element && getComputedStyle(el).cursor === "pointer";
  let found = hit;
  for (let n = hit, steps = 0; hand(n) && steps < 6; n = parentOf(n), steps++) found = n;
  return found;
}
