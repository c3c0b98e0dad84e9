// Owns: listening to what an action does: who received the event, what it set in motion.
// Refuses: to dispatch clicks or keys; those come from the browser.

const armed = {
  key: null, target: null, down: undefined, over: undefined, invalid: [], drag: false, last: 0, later: 0,
  aimed: false, moved: false, held: false, told: null, at: 0, styled: new Set(), moving: false, follows: false,
  dragged: false, strayed: undefined, displaced: false, focus: null, sign: "", counts: noEvents(), wait: null, between: null,
};
// Until then, what is entered is entered by the engine.
let ownUntil = 0;
const OWN = 1000;
const HEARD = { capture: true, passive: true };

// Listeners of an isolated world that are there before the page's cannot be kept from hearing.
// Each costs every event of its kind something, so there is one for a kind.
addEventListener("keydown", noteAction, HEARD);
addEventListener("mousedown", (event) => {
  noteAction();
  armed.down ??= receiverOf(event);
}, HEARD);
addEventListener("mousemove", (event) => {
  armed.over = receiverOf(event);
  armed.dragged ||= event.buttons !== 0;
  count(event);
}, HEARD);
// A click goes to what was both pressed and let go of: where things moved in between, that is not the element.
addEventListener("mouseup", (event) => {
  armed.strayed = event.target === armed.target || armed.dragged ? undefined : receiverOf(event);
  armed.displaced = armed.strayed instanceof Element && armed.counts.mouseup === 0 && hasLeftField() && isElsewhere(armed.target, event);
  count(event);
}, HEARD);
addEventListener("keyup", count, HEARD);
addEventListener("invalid", (event) => {
  if (armed.key !== null) armed.invalid.push(event.target);
}, HEARD);
addEventListener("dragstart", () => { armed.drag = true; }, HEARD);
// A button takes the focus whatever it does; only in a field is that what was wanted.
addEventListener("focusin", (event) => { if (isEditable(event.target)) pulse(); }, HEARD);
for (const kind of ["change", "toggle", "close", "cancel"]) addEventListener(kind, () => pulse(), HEARD);
addEventListener("input", (event) => {
  pulse();
  count(event);
}, HEARD);

function noEvents() {
  return { mousemove: 0, mouseup: 0, keyup: 0, input: 0 };
}

// Counts the events of an action. What waits for the last of them goes on in a task of its own, when
// the page's handlers of that event have run.
function count({ type: kind, isTrusted }) {
  if (armed.key === null || !isTrusted) return;
  armed.counts[kind]++;
  if (armed.wait && armed.wait.kind === kind && armed.counts[kind] >= armed.wait.count) {
    const { done } = armed.wait;
    armed.wait = null;
    scheduler.postTask(done, { priority: "user-blocking" });
  }
}

const LAST_EVENT = 150;

function lastEvent(after) {
  if (!after || armed.counts[after.kind] >= after.count) return null;
  return new Promise((done) => {
    const late = setTimeout(() => done(false), LAST_EVENT);
    armed.wait = { kind: after.kind, count: after.count, done: () => { clearTimeout(late); done(true); } };
  });
}

// Tells the engine that something changed, at most every 10 ms, and only while it listens and is not
// about to ask. What is on its way is told when it is there.
function pulse() {
  if (armed.key === null) return;
  armed.moved = true;
  if (armed.held) return;
  const now = performance.now();
  if (now - armed.last < 10) {
    if (!armed.later) armed.later = setTimeout(() => { armed.later = 0; pulse(); }, 10);
    return;
  }
  armed.last = now;
  const already = armed.moving;
  armed.moving = inMotion();
  if (!armed.moving) globalThis.__legworkPulse?.(String(armed.key));
  else if (!already) {
    globalThis.__legworkPulse?.("moving " + armed.key);
    follow();
  }
}

// True where the element aimed at receives the event, else the one that does.
function receiverOf(event) {
  if (armed.target === null || !event.isTrusted) return undefined;
  const path = event.composedPath();
  const hit = path[0] instanceof Element ? path[0] : event.target;
  if (reaches(hit, armed.target) || path.includes(armed.target)) return true;
  return !armed.target.isConnected && path.some((node) => signOf(node) === armed.sign) ? true : hit;
}

// Whether the press took the focus from a field, whose message may push away what was pressed. Whatever else moves
// it may be its own answer to the press.
function hasLeftField() {
  return armed.focus !== null && isEditable(armed.focus) && focusedElement() !== armed.focus;
}

// Whether an element is still shown, but no longer where the pointer is: it moved, and is not merely covered.
function isElsewhere(el, { clientX, clientY }) {
  const { left, right, top, bottom } = el[DOM.getBoundingClientRect]();
  const shown = right > left && bottom > top;
  return shown && (clientX < left || clientX > right || clientY < top || clientY > bottom);
}

// What an element is to a reader: the one that a redraw put in its place has the same.
function signOf(node) {
  if (!(node instanceof Element)) return "";
  const { item } = recOf(node);
  return item ? `${item.role}\u0002${item.name}` : `${roleOf(node)}\u0002${nameOf(node)}`;
}

const EVERYTHING = { subtree: true, childList: true, attributes: true, characterData: true };

function arm({ key, ref, aimed, held, between }) {
  noteAction();
  armed.between = between ?? null;
  armed.key = key;
  armed.aimed = aimed;
  armed.target = ref ? nodeOf(ref) : null;
  armed.sign = armed.target ? signOf(armed.target) : "";
  armed.focus = focusedElement();
  armed.counts = noEvents();
  armed.wait = null;
  armed.down = undefined;
  armed.over = undefined;
  armed.invalid = [];
  armed.drag = false;
  armed.last = 0;
  armed.at = performance.now();
  armed.styled = new Set();
  armed.moving = false;
  // Of other frames than the action's own only changes are told.
  armed.follows = held === true;
  armed.dragged = false;
  armed.strayed = undefined;
  armed.displaced = false;
  armed.moved = false;
  armed.held = held === true;
  armed.told = null;
  return {};
}

// Listens to whatever follows, with the focused element as the one acted on.
function listenAtFocus({ key, observe, known }) {
  const active = focusedElement();
  const frame = active && recOf(active).frameKey;
  if (frame) return { frame: Number(frame) };
  if (observe && base === null) rebase();
  const ref = active ? refOf(active) : null;
  arm({ key, ref, aimed: false, held: true, between: observe ? meanwhile() : null });
  return active ? { ref, description: describe(active), field: actedState(active), known: known ? knownBy(active) : undefined } : {};
}

function peek() {
  return { drag: armed.drag };
}

// Once the last event of the action is handled: all there is to tell, if something moved already. The
// engine is content with that, or knows of something still under way and resumes.
async function aftermath({ observe, after, expect }) {
  const waiting = lastEvent(after);
  const came = waiting === null || (await waiting);
  // What does not come in time may still be on its way: then the page settles first.
  return came ? seenAfter(observe, expect) : {};
}

function seenAfter(observe, expect) {
  ownUntil = 0;
  if (!armed.moved || inMotion()) return {};
  const seen = actionSeen(expect);
  armed.told = told();
  armed.moved = false;
  unsaid ||= !observe;
  return { seen, change: observe ? change({}) : null };
}

// Tells the same without being asked, which saves the browser a question between the events. The engine
// waits for it no longer than it likes, and resumes.
function tellAfter({ kind, count }, observe) {
  const { counts } = armed;
  // What has been armed anew since has other counts.
  const done = () => armed.counts === counts && globalThis.__legworkPulse?.(`told ${tell(nextRef, observe)}`);
  armed.wait = { kind, count, done };
}

const tell = written(numbered(seenAfter));

// Listens on, and takes the change back that was told too early.
function resume() {
  if (armed.told) {
    takeBack(armed.told);
    armed.told = null;
    armed.moved = true;
  }
  armed.held = false;
  armed.wait = null;
  // Nothing is told by itself any more, not even what was about to be.
  armed.counts = { ...armed.counts };
  if (armed.moved) pulse();
}

// What became of the action; stops listening.
function collectAction({ observe, expect }) {
  const seen = actionSeen(expect);
  unsaid ||= !observe;
  ownUntil = 0;
  hush();
  return seen;
}

function hush() {
  armed.key = null;
  armed.target = null;
  clearTimeout(armed.later);
  armed.later = 0;
}

// What became of the element and who received the event.
function actionSeen(expect) {
  const { target, invalid } = armed;
  // The browser moves the pointer by itself when things move below it: only what was aimed counts.
  const receiver = armed.aimed ? armed.down ?? armed.over : undefined;
  const active = focusedElement();
  const moved = active !== armed.focus && (active !== target || (active && isEditable(active)));
  return {
    delivered: receiver === undefined ? null : receiver === true,
    receiver: receiver instanceof Element ? describe(receiver) : null,
    strayed: armed.aimed && armed.strayed instanceof Element ? describe(armed.strayed) : null,
    displaced: armed.displaced,
    field: target?.isConnected ? actedState(target) : null,
    holds: target?.isConnected && expect !== undefined ? heldText(target) === evenText(expect) : null,
    invalid: invalid.filter((el) => el.isConnected).slice(0, 10).map((el) => ({
      field: describe(el), message: safe(clean(el.validationMessage)) || "not valid",
    })),
    focused: moved && active ? describe(active) : null,
    drag: armed.drag,
    moved: armed.moved,
  };
}

function heldText(el) {
  return evenText(el.value ?? shownText(el));
}

function evenText(text) {
  return text.replace(/\r\n?/g, "\n").trimEnd();
}

// The state of a field as a person would read it; secrets only as present or not.
function actedState(el) {
  const tag = el.localName;
  const state = { secret: isSecret(el) };
  if (tag === "input" && (el.type === "checkbox" || el.type === "radio")) state.checked = el.checked;
  else state.value = readValue(el, tag);
  if (tag === "input" && el.type === "file") state.multiple = el.multiple;
  if (state.secret && state.value) state.value = "••••";
  const aria = el.getAttribute("aria-checked") ?? el.getAttribute("aria-pressed");
  if (state.checked === undefined && (aria === "true" || aria === "false")) {
    state.checked = aria === "true";
  }
  const expanded = el.getAttribute("aria-expanded");
  if (expanded) state.expanded = expanded === "true";
  return state;
}

function readValue(el, tag) {
  if (tag === "select") return [...el.selectedOptions].map((option) => option.label.trim()).join(", ");
  if (tag === "input" && el.type === "file") return [...el.files].map((file) => file.name).join(", ");
  if (tag === "input" || tag === "textarea") return el.value;
  if (el.isContentEditable) return shownText(el).replace(/\n$/, "");
  if (roleOf(el) === "combobox" || el.getAttribute("aria-haspopup") === "listbox") {
    return el.textContent.trim().slice(0, 100);
  }
  return undefined;
}
