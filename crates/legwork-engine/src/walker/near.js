// Owns: what comes near a target that matches nothing: names that are spelled
// alike, and for selectors ids, classes and attribute values that are.
// Refuses: taking one of them for the target.

const NEAR_LIMIT = 5;

function nearMatches(target) {
  const selector = target.css || target.xpath;
  return selector !== undefined ? nearSelector(String(selector)) : nearNames(target).map((el) => ({ ref: refOf(el), description: describe(el) }));
}

function nearNames(target) {
  const wanted = clean(String(target.words || target.name || target.text || "")).toLowerCase();
  if (!wanted) return [];
  const scored = [];
  for (const item of listed) {
    const name = (item.full || item.hint).toLowerCase();
    if (!name) continue;
    let score = likeness(wanted, name);
    if (target.role && item.role === target.role) score += 0.1;
    if (score > 0.3) scored.push([score, item.el]);
  }
  scored.sort((a, b) => b[0] - a[0]);
  return [...new Set(scored.map((pair) => pair[1]))].slice(0, NEAR_LIMIT);
}

const OFFERED = 8;

// A few of the things one can act on, for who asked for something that resembles none of them: what is on
// top first, and links last.
function offers() {
  const { popups, items } = update(false);
  const known = new Set();
  const named = items.filter((item) => item.name && item.role !== "scrollable" && !known.has(item.el) && known.add(item.el));
  const onTop = (item) => popups.some((part) => part.el[DOM.contains](item.el));
  const rank = (item) => (onTop(item) ? 0 : item.role === "link" ? 2 : 1);
  const some = named.map((item) => [rank(item), item]).sort((a, b) => a[0] - b[0]).slice(0, OFFERED).map((pair) => describe(pair[1].el));
  if (named.length > some.length) some.push("and " + (named.length - some.length) + " more");
  return { offers: some };
}

const NEAR_LOOKED_AT = 5000;
const NEAR_COMPARED = 2000;
const NEAR_ATTRIBUTES = ["id", "class", "name", "data-testid", "data-test", "aria-label", "placeholder", "title", "type", "href", "value"];

// Elements with an id, class or attribute spelled like one in the selector, each with what is alike.
function nearSelector(selector) {
  const wanted = wordsOf(selector);
  if (!wanted.length) return [];
  const known = new Map();
  const scored = [];
  let left = NEAR_LOOKED_AT;
  for (const root of allRoots()) {
    for (const el of root[DOM.querySelectorAll]("[" + NEAR_ATTRIBUTES.slice(0, 8).join("],[") + "]")) {
      if (left-- <= 0) break;
      const best = nearestAttribute(el, wanted, known);
      if (best && isRendered(el)) scored.push({ ...best, el });
    }
  }
  scored.sort((a, b) => b.score - a.score);
  return scored.slice(0, NEAR_LIMIT).map(({ el, said }) => ({ ref: refOf(el), description: describe(el) + " (" + safe(shorten(said, 60)) + ")" }));
}

// The ids, classes and quoted or bare values in a selector.
function wordsOf(selector) {
  const out = new Set();
  for (const m of selector.matchAll(/[#.]([A-Za-z_][\w-]*)|=\s*([\w-]+)|"([^"]+)"|'([^']+)'/g)) out.add((m[1] || m[2] || m[3] || m[4]).toLowerCase());
  return [...out].slice(0, 4);
}

function nearestAttribute(el, wanted, known) {
  let best = null;
  for (const name of NEAR_ATTRIBUTES) {
    const value = name === "value" && isSecret(el) ? null : el[DOM.getAttribute](name);
    if (!value || value.length > 200) continue;
    for (const word of name === "class" ? value.split(/\s+/) : [value]) {
      if (!known.has(word) && known.size >= NEAR_COMPARED) continue;
      if (!known.has(word)) known.set(word, Math.max(...wanted.map((one) => spelledAlike(one, word.toLowerCase()))));
      const score = known.get(word);
      if (score < 0.5 || (best && best.score >= score)) continue;
      best = { score, said: name === "id" ? "#" + word : name === "class" ? "." + word : name + "=" + word };
    }
  }
  return best;
}

// Alike as a whole, or one is a part of the other.
function spelledAlike(a, b) {
  if (a.length > 3 && b.length > 3 && (a.includes(b) || b.includes(a))) return 0.5 + 0.4 * Math.min(a.length, b.length) / Math.max(a.length, b.length);
  return b.length > 2 * a.length + 2 || a.length > 2 * b.length + 2 ? 0 : likeness(a, b);
}

// Shared letter pairs, with credit for whole words in common.
function likeness(a, b) {
  const pairs = (text) => {
    const out = new Map();
    for (let i = 0; i + 1 < text.length; i++) out.set(text.slice(i, i + 2), (out.get(text.slice(i, i + 2)) || 0) + 1);
    return out;
  };
  const left = pairs(a);
  const right = pairs(b);
  let shared = 0;
  for (const [pair, count] of left) shared += Math.min(count, right.get(pair) || 0);
  const dice = (2 * shared) / Math.max(1, a.length + b.length - 2);
  const words = new Set(b.split(/\W+/).filter((word) => word.length > 2));
  const common = a.split(/\W+/).filter((word) => words.has(word)).length;
  return Math.max(dice, spelled(a, b)) + common * 0.15;
}

// How much of a short word survives its typing errors.
function spelled(a, b) {
  if (a.length > 40 || b.length > 40 || Math.abs(a.length - b.length) > 4) return 0;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  const share = 1 - row[b.length] / Math.max(a.length, b.length);
  return share > 0.55 ? share : 0;
}
