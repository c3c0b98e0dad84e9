// Owns: listening to what an action does: who received the event, what it set in motion.
// Refuses: to dispatch clicks or keys; those come from the browser.

const armed = {
  key: null, target: null, down: undefined, over: undefined, invalid: [], drag: false, last: 0, later: 0,
  aimed: false, moved: false, quiet: null, releases: 0, asking: false, waiting: null,
};

// Listeners of an isolated world that are there before the page's cannot be kept from hearing.
addEventListener("mousedown", (event) => { armed.down ??= receiverOf(event); },
  { capture: true, passive: true });
addEventListener("mousemove", (event) => { armed.over = receiverOf(event); },
  { capture: true, passive: true });
addEventListener("mouseup", (event) => {
  if (event.isTrusted && armed.releases > 0 && --armed.releases === 0) afterClick();
}, { capture: true, passive: true });
addEventListener("invalid", (event) => {
  if (armed.key !== null) armed.invalid.push(event.target);
}, { capture: true, passive: true });
addEventListener("dragstart", () => { armed.drag = true; }, { capture: true, passive: true });
// A button takes the focus whatever it does; only in a field is that what was wanted.
addEventListener("focusin", (event) => { if (isEditable(event.target)) pulse(); },
  { capture: true, passive: true });
for (const kind of ["input", "change", "toggle", "scroll", "close", "cancel"]) {
  addEventListener(kind, () => pulse(), { capture: true, passive: true });
}

const pulseObserver = new MutationObserver(() => pulse());

// Tells the engine that something changed, at most every 10 ms, and only while it listens.
function pulse() {
  if (armed.key === null) return;
  armed.moved = true;
  if (armed.quiet || armed.asking) return;
  const now = performance.now();
  if (now - armed.last < 10) {
    if (!armed.later) armed.later = setTimeout(() => { armed.later = 0; pulse(); }, 10);
    return;
  }
  armed.last = now;
  globalThis.__legworkPulse?.(String(armed.key));
}

// True where the element aimed at receives the event, else the one that does.
function receiverOf(event) {
  if (armed.target === null || !event.isTrusted) return undefined;
  const path = event.composedPath();
  const hit = path[0] instanceof Element ? path[0] : event.target;
  return reaches(hit, armed.target) || path.includes(armed.target) ? true : hit;
}

const EVERYTHING = { subtree: true, childList: true, attributes: true, characterData: true };

function arm({ key, ref, aimed, releases }) {
  armed.key = key;
  armed.aimed = aimed;
  armed.target = ref ? nodeOf(ref) : null;
  armed.down = undefined;
  armed.over = undefined;
  armed.invalid = [];
  armed.drag = false;
  armed.last = 0;
  armed.moved = false;
  armed.quiet = null;
  armed.releases = releases ?? 0;
  armed.asking = armed.releases > 0;
  armed.waiting = null;
  for (const root of allRoots()) pulseObserver.observe(root, EVERYTHING);
  return {};
}

// Listens to whatever follows, with the focused element as the one acted on.
function listenAtFocus({ key, observe }) {
  const active = focusedElement();
  if (observe && base === null) rebase({});
  const ref = active ? refOf(active) : null;
  arm({ key, ref, aimed: false });
  return active ? { ref, description: describe(active), field: actedState(active) } : {};
}

function peek() {
  return { drag: armed.drag };
}

// The page's own handlers run after this one, and what they put off for a moment after them.
function afterClick() {
  setTimeout(() => setTimeout(() => armed.waiting?.()));
}

// The aftermath, as soon as the click that was announced is over.
function afterRelease(args) {
  if (!armed.asking || armed.releases === 0) return aftermath(args);
  return new Promise((done) => { armed.waiting = () => done(aftermath(args)); });
}

// If something moved already: all there is to tell, as if the action were over. The engine falls
// silent with that, or knows of something still under way and resumes.
function aftermath({ observe }) {
  armed.asking = false;
  armed.waiting = null;
  takeBack();
  if (!armed.moved) return {};
  const seen = actionSeen();
  armed.quiet = { base, baseFocus };
  armed.moved = false;
  return { seen, change: observe ? change({}) : null };
}

// Listens on.
function resume() {
  armed.asking = false;
  armed.waiting = null;
  takeBack();
  if (armed.moved) pulse();
}

// Takes a change back that was told too early, or to nobody.
function takeBack() {
  if (!armed.quiet) return;
  ({ base, baseFocus } = armed.quiet);
  armed.quiet = null;
  armed.moved = true;
}

// What became of the action; stops listening.
function collectAction() {
  const seen = actionSeen();
  pulseObserver.disconnect();
  armed.key = null;
  armed.target = null;
  clearTimeout(armed.later);
  armed.later = 0;
  return seen;
}

// What became of the element and who received the event.
function actionSeen() {
  const { target, invalid } = armed;
  // The browser moves the pointer by itself when things move below it: only what was aimed counts.
  const receiver = armed.aimed ? armed.down ?? armed.over : undefined;
  const active = focusedElement();
  return {
    delivered: receiver === undefined ? null : receiver === true,
    receiver: receiver instanceof Element ? describe(receiver) : null,
    attached: target ? target.isConnected : null,
    field: target?.isConnected ? actedState(target) : null,
    invalid: invalid.filter((el) => el.isConnected).slice(0, 10).map((el) => ({
      field: describe(el), message: el.validationMessage || "not valid",
    })),
    focused: active ? describe(active) : null,
    drag: armed.drag,
  };
}

// The state of a field as a person would read it; secrets only as present or not.
function actedState(el) {
  const tag = el.localName;
  const state = {};
  if (tag === "select") {
    state.value = [...el.selectedOptions].map((option) => option.label.trim()).join(", ");
  } else if (tag === "input" && (el.type === "checkbox" || el.type === "radio")) {
    state.checked = el.checked;
  } else if (tag === "input" && el.type === "file") {
    state.value = [...el.files].map((file) => file.name).join(", ");
  } else if (tag === "input" || tag === "textarea") {
    state.value = isSecret(el) ? "•".repeat(Math.min(el.value.length, 8)) : el.value;
  } else if (el.isContentEditable) {
    state.value = el.innerText.replace(/\n$/, "");
  }
  state.secret = isSecret(el);
  const aria = el.getAttribute("aria-checked") ?? el.getAttribute("aria-pressed");
  if (state.checked === undefined && (aria === "true" || aria === "false")) {
    state.checked = aria === "true";
  }
  const expanded = el.getAttribute("aria-expanded");
  if (expanded) state.expanded = expanded === "true";
  if (el.validationMessage && document.activeElement !== el) state.invalid = el.validationMessage;
  return state;
}
