// Owns: text that was entered in confidence, and entering it.
// Refuses: to tell any of it. The engine asks whose the document is before it sends some.

const confided = new Set();

function whose() {
  return { origin: self.origin };
}

// Whether a field holds something that was confided to this document.
function holdsConfided(el) {
  if (recOf(el).confided) return true;
  if (!confided.size || el.type === "file") return false;
  const value = plainValue(el, "textbox") || "";
  for (const text of confided) if (value.includes(text)) return true;
  return false;
}

// In one task: what has the focus when the text is entered is the field.
function confide({ ref, text, clear }) {
  const el = nodeOf(ref);
  if (!el || !el.isConnected) return { status: "refused", reason: "is gone" };
  const whole = clear || (el.value ?? el.innerText ?? "") === "";
  confided.add(text);
  recOf(el).confided = true;
  touch(el, SELF);
  if (el.localName === "select") return chosenInSecret(ref, text);
  if (/^(date|time|month|week|datetime-local|color|range)$/.test(el.type ?? "")) {
    const { accepted, expects } = setValue({ ref, value: text });
    return accepted ? { status: "entered", whole: true } : { status: "refused", reason: "takes " + expects };
  }
  if (/^(checkbox|radio)$/.test(el.type ?? "")) return { status: "refused", reason: "takes no text" };
  if (!focusField({ ref, caret: clear ? "all" : "end" }).focused) {
    return { status: "refused", reason: "does not take the focus" };
  }
  const entered = document.execCommand("insertText", false, text);
  // The focus alone counts for nothing and is taken back in a while; this comes behind that.
  queueMicrotask(pulse);
  return entered ? { status: "entered", whole } : { status: "refused", reason: "takes no text" };
}

function chosenInSecret(ref, text) {
  for (const choice of [{ label: text }, { value: text }]) {
    if (chooseOptions({ ref, choices: [choice] }).chosen) return { status: "entered", whole: false };
  }
  return { status: "refused", reason: "has no such option" };
}
