// Owns: whether what an action set in motion is still on its way: what fades, slides or grows into view or
// out of it, by style rules or by scripts.
// Refuses: what moved before, what never ends, and what only decorates the element acted on.

const REVEALING = [...MOTION, "opacity", "visibility", "clipPath", "maxHeight", "maxWidth", "gridTemplate"];
// Times of animations are those of frames.
const FRAME_TIME = 20;

function inMotion() {
  return isBeingStyled() || setOff().length > 0;
}

// Animations and transitions that began with the action and will end.
function setOff() {
  return document.getAnimations().filter(({ effect, playState, startTime }) => playState === "running"
    && (startTime === null || startTime > armed.at - FRAME_TIME)
    && effect?.target && !armed.target?.[DOM.contains](effect.target)
    && effect.getComputedTiming().endTime !== Infinity && reveals(effect));
}

function reveals(effect) {
  return effect.getKeyframes().some((frame) => Object.keys(frame)
    .some((name) => REVEALING.some((part) => name.startsWith(part))));
}

// Scripts that animate say so in the element's own style, every few milliseconds, until they are done.
function isBeingStyled() {
  if (!armed.styled.size || performance.now() - styledAt > RESTLESS) return false;
  return [...armed.styled].some(isHalfShown);
}

function isHalfShown(el) {
  const own = el[DOM.getAttribute]("style");
  if (!own || !el[DOM.isConnected] || armed.target?.[DOM.contains](el)) return false;
  if (/overflow: hidden/.test(own) && /(height|width): /.test(own)) return true;
  return /opacity: (0|0?\.\d+);?/.test(own) && getComputedStyle(el).display !== "none";
}

// Looks again when the motion that is known of has ended; a script that stops styling is told by nothing.
function follow() {
  const known = setOff();
  if (known.length) Promise.allSettled(known.map((one) => one.finished)).then(arrive);
  else setTimeout(arrive, RESTLESS);
}

function arrive() {
  if (armed.key === null || !armed.moving) return;
  if (inMotion()) follow();
  else pulse();
}
