// Owns: whether what an action set in motion is still on its way: what fades, slides or grows into view or
// out of it, by style rules or by scripts.
// Refuses: what moved before, what takes longer than anybody waits, and what says nothing or only decorates the
// element acted on.

const REVEALING = ["opacity", "visibility", "clipPath", "height", "width", "maxHeight", "maxWidth", "gridTemplate"];
// Times of animations are those of frames.
const FRAME_TIME = 20;
// As long as the engine waits: its `Bounds::motion`.
const LONGEST_MOTION = 700;

function inMotion() {
  return armed.follows && (isBeingStyled() || setOff().length > 0);
}

function animations() {
  return allRoots().flatMap((root) => root[DOM.getAnimations]());
}

// Animations and transitions that began with the action and will end soon.
function setOff() {
  return animations().filter(({ effect, playState, startTime, currentTime }) => playState === "running"
    && (startTime === null || startTime > armed.at - FRAME_TIME)
    && effect?.target && !effect.pseudoElement
    && effect.getComputedTiming().endTime - (currentTime ?? 0) < LONGEST_MOTION && reveals(effect));
}

// What stands around the element acted on may be lifted by the pointer: it has to appear or disappear to count.
function reveals(effect) {
  const { target } = effect;
  if (!says(target) || isDecoration(target)) return false;
  const around = armed.target !== null && reaches(armed.target, target);
  return animates(effect, around ? REVEALING : [...REVEALING, ...MOTION]);
}

function animates(effect, properties) {
  return effect.getKeyframes().some((frame) => Object.keys(frame)
    .some((name) => properties.some((part) => name.startsWith(part))));
}

function says(el) {
  return shadowOf(el) !== null || /\S/.test(el[DOM.textContent]) || el[DOM.querySelector]("img, input, select, textarea") !== null;
}

// The element itself, what is in it, and labels, which give way to what is entered.
function isDecoration(el) {
  return el[DOM.localName] === "label" || (armed.target !== null && reaches(el, armed.target));
}

// Scripts that animate say so in the element's own style, every few milliseconds, until they are done.
function isBeingStyled() {
  if (!armed.styled.size) return false;
  const recent = performance.now() - RESTLESS;
  return [...armed.styled].some((el) => recOf(el).styled > recent && isHalfShown(el));
}

function isHalfShown(el) {
  const own = el[DOM.getAttribute]("style");
  if (!own || !el[DOM.isConnected] || el === document[DOM.body] || el === document[DOM.documentElement]) return false;
  if (isDecoration(el) || !says(el)) return false;
  if (/(?:^|;\s*)overflow(?:-[xy])?: hidden/.test(own) && /(?:^|;\s*)(?:height|width): /.test(own)) return true;
  return /(?:^|;\s*)opacity: (?:0|0?\.\d+)(?:;|$)/.test(own) && getComputedStyle(el).display !== "none";
}

// Looks again when the motion that is known of has ended, and what waits for its end had its say; a script that
// stops styling is told by nothing.
function follow() {
  const known = setOff();
  if (known.length) Promise.allSettled(known.map((one) => one.finished)).then(() => setTimeout(arrive, FRAME_TIME));
  else setTimeout(arrive, RESTLESS);
}

function arrive() {
  if (armed.key === null || !armed.moving) return;
  if (inMotion()) {
    follow();
    return;
  }
  armed.moving = false;
  pulse();
}
