// Owns: which texts of the page change by themselves, like a clock's, and so say nothing of an action.
// Refuses: taking a change for one of those unless its time has come: three changes at even intervals
// are known before the fourth is expected.

const TICK_TEXT = 200;
const TICK_APART = 200;
const TICK_LOST = 15000;
const TICKING_AT_ONCE = 20;
// The clocks that went on since the page was last looked at.
const ticked = new Set();

// Whether there is more in the records than clocks going on. What an action could have set in motion is
// no clock's, so ticks are learned from as they come, and only those on time count as such.
function isMoreThanTicks(records) {
  if (records.length > TICKING_AT_ONCE) return true;
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

// Notes a change, and tells whether it was due.
function tick(el) {
  const now = performance.now();
  const rec = recOf(el);
  const text = el[DOM.textContent];
  const last = rec.ticks;
  const gap = last ? now - last.at : 0;
  // Several changes of one moment are one.
  if (last && gap < TICK_APART) {
    last.text = text;
    return last.due;
  }
  const steady = last && last.gap > 0 && gap > last.gap / 2 && gap < last.gap * 2;
  const due = Boolean(steady) && last.even >= 1 && text !== last.text;
  rec.ticks = { at: now, gap: gap < TICK_LOST ? gap : 0, even: steady ? last.even + 1 : 0, text, due };
  return due;
}

// Whether the lines that differ are a clock's, each of them.
function isOfClocks(entries) {
  if (!entries.length || armed.moved || !ticked.size) return false;
  return entries.every(({ el }) => el && [...ticked].some((clock) => clock[DOM.contains](el) || el[DOM.contains](clock)));
}
