// Owns: which texts of the page change by themselves, like a clock's, and so say nothing of an action.
// Refuses: learning from anything that an action may have set in motion. A rhythm is known after three
// changes at even intervals in which nobody did anything; later changes count as ticks if they are on time.

const TICK_TEXT = 200;
const TICK_APART = 200;
const TICK_LOST = 15000;
const TICKING_AT_ONCE = 20;
// The clocks that went on since the page was last looked at.
const ticked = new Set();

// Whether any text is known to have a rhythm.
let rhythmic = false;

// Whether there is more in the records than clocks going on. Where no clock is known, what follows an action
// at once is not examined: nothing is learned from it.
function isMoreThanTicks(records) {
  if (records.length > TICKING_AT_ONCE || (!rhythmic && performance.now() - actedAt < TICK_APART)) return true;
  const seen = new Set();
  let more = false;
  for (const record of records) {
    const el = tickedElement(record);
    if (!el) more = true;
    else if (!seen.has(el)) {
      seen.add(el);
      if (tick(el)) ticked.add(el);
      else more = true;
    }
  }
  return more;
}

// The element whose own text changed, if that is all there is to it.
function tickedElement(record) {
  if (record.type === "attributes") return null;
  const el = record.target[DOM.nodeType] === 3 ? record.target[DOM.parentElement] : record.target;
  if (!el || el[DOM.nodeType] !== 1 || el[DOM.childElementCount] > 4) return null;
  return el[DOM.textContent].length <= TICK_TEXT && !el[DOM.querySelector](DELEGATES) ? el : null;
}

// When the page was last acted on.
let actedAt = -Infinity;

function noteAction() {
  actedAt = performance.now();
}

const isAlike = (gap, other) => other > 0 && gap > other * 0.6 && gap < other * 1.6;

// Notes a change, and tells whether it was due.
function tick(el) {
  const at = performance.now();
  const rec = recOf(el);
  const text = el[DOM.textContent];
  const last = rec.ticks || { at: -Infinity, gap: 0, period: 0, text, due: false };
  const gap = at - last.at;
  // Several changes of one moment are one.
  if (gap < TICK_APART) {
    last.text = text;
    return last.due;
  }
  let { period } = last;
  const alone = actedAt < last.at && gap < TICK_LOST;
  if (alone) period = isAlike(gap, last.gap || period) ? period || gap : 0;
  rhythmic ||= period > 0;
  const due = isAlike(gap, last.period) && text !== last.text;
  rec.ticks = { at, gap: alone ? gap : 0, period, text, due };
  return due;
}

// Whether the lines that differ are a clock's, each of them.
function isOfClocks(entries) {
  return !armed.moved && areClocks(entries);
}

function areClocks(entries) {
  if (!entries.length || !ticked.size) return false;
  return entries.every(({ el }) => el && [...ticked].some((clock) => clock[DOM.contains](el) || el[DOM.contains](clock)));
}
