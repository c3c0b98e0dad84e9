// Owns: targets in plain words ("Remove in the row with Oat milk"), and find,
// which shows the row, card or dialog around a match.
// Refuses: guessing between equals; all of them are returned.

const KINDS = {
  button: ["button", "clickable", "disclosure"], link: ["link", "clickable"], checkbox: ["checkbox", "switch"], switch: ["switch", "checkbox"],
  radio: ["radio"], field: ["textbox", "searchbox", "spinbutton", "date", "time input", "combobox"], textbox: ["textbox", "searchbox"],
  input: ["textbox", "searchbox", "spinbutton", "date", "time input"], tab: ["tab"], option: ["option"], dropdown: ["combobox", "listbox"],
  combobox: ["combobox"], select: ["combobox", "listbox"], menuitem: ["menuitem", "menuitemcheckbox", "menuitemradio"], slider: ["slider"],
  icon: ["button", "link", "clickable"], toggle: ["switch", "checkbox", "button"], spinner: ["spinbutton"], textarea: ["textbox"],
};
// Kinds that are also names: only meant where nothing is named so, and nothing else is said.
const ALONE = { ...KINDS, date: ["date"], time: ["time input"] };
const CONTEXT = /\s+(?:in|on|under|within|inside|for|from|of|at|near|beside|next to)\s+(?:the\s+)?(?:(?:same\s+)?(?:row|card|list|section|dialog|group|item|menu|form|table|line|panel|box)\s+)?(?:(?:with|of|for|named|called|that says|containing)\s+)?/gi;

const ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
const ORDINAL = new RegExp("^(?:the\\s+)?(" + ORDINALS.join("|") + "|last|\\d{1,3}(?:st|nd|rd|th))\\s+(\\S.*)$", "i");

// "Log in" button, button "Log in", Log in button, the Log in button: what, and of which kind.
function parseThing(text) {
  const words = clean(text);
  const out = readings(words);
  if (/^the\s+\S/i.test(words)) out.push(...readings(words.replace(/^the\s+/i, "")));
  return out;
}

function readings(words) {
  const tail = /^(.*\S)\s+(button|link|checkbox|switch|radio|field|textbox|input|tab|option|dropdown|combobox|select|menuitem|slider|spinner|textarea|icon|toggle)$/i.exec(words);
  const head = /^(button|link|checkbox|switch|radio|field|textbox|input|tab|option|dropdown|combobox|select|menuitem|slider|spinner|textarea)\s+(\S.*)$/i.exec(words);
  const out = [{ name: unquote(words), kinds: null }];
  if (tail) out.push({ name: unquote(tail[1]), kinds: KINDS[tail[2].toLowerCase()] });
  if (head) out.push({ name: unquote(head[2]), kinds: KINDS[head[1].toLowerCase()] });
  return out;
}

function unquote(text) {
  const m = /^\s*["'“‘](.*)["'”’]\s*$/.exec(text);
  return clean(m ? m[1] : text);
}

function byWords(words) {
  const found = unnumbered(words, true);
  if (found.length) return found;
  // "Last name" may be a name: counting is what is left when the words as a whole name nothing. But a
  // sentence that only holds them, such as an instruction on the page, is what nobody means.
  const numbered = ORDINAL.exec(clean(words));
  const counted = numbered ? nth(byWords(numbered[2]), numbered[1].toLowerCase()) : [];
  return counted.length ? counted : unnumbered(words, false);
}

function nth(found, which) {
  if (which === "last") return found.slice(-1);
  const at = ORDINALS.includes(which) ? ORDINALS.indexOf(which) : parseInt(which, 10) - 1;
  return at >= 0 ? found.slice(at, at + 1) : [];
}

function unnumbered(words, wholeTexts) {
  const whole = parseThing(words);
  const exact = pick(whole, true, true);
  if (exact.length) return exact;
  for (const [what, where] of splits(words)) {
    const found = within(pick(parseThing(what), false, wholeTexts), where);
    if (found.length) return found;
    const options = optionsIn(unquote(what), where);
    if (options.length) return options;
  }
  return pick(whole, false, wholeTexts);
}

// Every way to cut "A in B", the last one first; never inside quotes.
function splits(words) {
  const out = [];
  for (const m of words.matchAll(CONTEXT)) {
    const before = words.slice(0, m.index);
    if ((before.match(/["“”]/g) || []).length % 2) continue;
    const after = unquote(words.slice(m.index + m[0].length));
    if (before.trim() && after) out.unshift([before, after]);
  }
  return out;
}

function pick(said, exactOnly, wholeTexts) {
  for (const exact of exactOnly ? [true] : [true, false]) {
    for (const { name, kinds } of said) {
      const wanted = name.toLowerCase();
      const found = [];
      const seen = [];
      const fits = (text) => (exact ? text.toLowerCase() === wanted : text.toLowerCase().includes(wanted));
      for (const item of listed) {
        if (item.role === "scrollable" || (kinds && !kinds.includes(item.role))) continue;
        if (fits(item.full || item.hint.replace(/\?$/, ""))) found.push(item.el);
        else if (item.aria && fits(item.name)) seen.push(item.el);
      }
      const best = found.length ? found : seen;
      if (best.length && wanted) return [...new Set(best)];
    }
  }
  for (const { name, kinds } of said) {
    const wanted = name.toLowerCase();
    const found = listed.filter((item) => item.aria.toLowerCase() === wanted && wanted && (!kinds || kinds.includes(item.role)));
    if (found.length) return [...new Set(found.map((item) => item.el))];
  }
  if (exactOnly) return [];
  for (const { name, kinds } of said) {
    const found = kinds ? [] : ofKind(name.toLowerCase());
    if (found.length) return found;
  }
  for (const { name, kinds } of said) {
    const found = kinds ? [] : textTargets(name, wholeTexts);
    if (found.length) return found;
  }
  return [];
}

// The controls of a kind that is all that was said. Who says textbox beside a text area means the other one.
function ofKind(kind) {
  const roles = ALONE[kind] || [];
  const all = [...new Set(listed.filter((item) => roles.includes(item.role)).map((item) => item.el))];
  const long = (el) => el[DOM.localName] === "textarea";
  if (kind === "textarea") return all.filter(long);
  const short = all.filter((el) => !long(el));
  return kind === "textbox" && short.length ? short : all;
}

// Words that belong to no control: the text itself, so that "not clickable" can be told from "not found".
function textTargets(text, whole) {
  // One letter is part of nearly everything.
  return byText(text, whole || text.length < 3);
}

// Those whose closest surroundings say the words; the smallest surroundings win.
function within(els, where) {
  const wanted = where.toLowerCase();
  let best = [];
  let least = Infinity;
  for (const el of els) {
    const size = surroundings(el, wanted);
    if (size < least) {
      best = [el];
      least = size;
    } else if (size === least && size < Infinity) best.push(el);
  }
  return best;
}

function surroundings(el, wanted) {
  for (let up = recOf(el).up; up; up = up.up) {
    if (!up.flow) continue;
    const text = allText(up.flow).toLowerCase();
    if (text.includes(wanted)) return text.length;
  }
  return Infinity;
}

function allText(flow) {
  let out = "";
  const visit = (parts) => {
    for (const part of parts) {
      if (out.length > 20000) return;
      if (typeof part === "string") out += part;
      else if (part.t === "i") out += " " + part.full + " " + part.value + " ";
      else if (part.t === "c") visit(part.flow);
      else if (part.t === "l") {
        visit(part.segs);
        out += " ";
      } else if (part.t === "b") {
        out += " " + part.head + " ";
        visit(part.lines);
      }
    }
  };
  visit(flow);
  return clean(out);
}

// "Monthly in Repeat" where Repeat is a native select: the option itself.
function optionsIn(what, where) {
  const wanted = what.toLowerCase();
  const out = [];
  for (const item of listed) {
    if (item.el[DOM.localName] !== "select" || !item.full.toLowerCase().includes(where.toLowerCase())) continue;
    for (const option of item.el.options) if (optionText(option).toLowerCase() === wanted) out.push(option);
  }
  return out;
}

// ---- find ----

function find(options) {
  const target = options.target || { words: options.words || "" };
  const found = resolve(target);
  if (found.error) return { count: 0, text: "", error: found.error };
  const only = options.within ? new Set(resolve(options.within).nodes) : null;
  const there = (el) => !only || isWithin(el, only);
  let nodes = found.nodes.filter(there);
  // What is called just that may all be elsewhere.
  if (only && !nodes.length) nodes = alsoSaying(target).filter(there);
  const near = nodes.length || only ? [] : nearMatches(target).map((one) => one.description);
  const homes = homesOf(nodes, new Map());
  const best = homes.size;
  homesOf(best ? alsoSaying(target).filter((el) => there(el) && !isWithin(el, homes)) : [], homes);
  const all = [...homes];
  const shown = Math.min(best, FOUND_SHOWN);
  const text = (from, to) => all.slice(from, to).flatMap(homeLines).join("\n");
  const kept = Math.min(all.length, FOUND_KEPT) - shown;
  return { text: text(0, shown), rest: text(shown, FOUND_KEPT), left: all.length - shown, kept, near };
}

function isWithin(el, those) {
  for (let n = el; n; n = parentOf(n)) if (those.has(n)) return true;
  return false;
}

const FOUND_SHOWN = 20;
const FOUND_KEPT = 300;

// Adds where the elements are, each place once, with the first of them.
function homesOf(nodes, homes) {
  for (const el of nodes) {
    const home = homeOf(el);
    if (!homes.has(home)) homes.set(home, el);
  }
  return homes;
}

function homeLines([home, el]) {
  const p = printer({});
  printParts(p, partsOf(home), "", 0, null);
  return p.out.length > 40 || !p.out.length ? [describe(el)] : p.out;
}

// Whatever says the words, too, though something else is called just that.
function alsoSaying(target) {
  const words = clean(target.words ?? target.text ?? "").toLowerCase();
  if (words.length < 3) return [];
  const { same, part } = sayersOf(words);
  const named = listed.filter((item) => item.full.toLowerCase().includes(words)).map((item) => item.el);
  return [...named, ...same, ...part];
}

// The row, card or dialog around an element; the element itself where none is near.
function homeOf(el) {
  for (let n = el, i = 0; n && i < 12; n = parentOf(n), i++) {
    const rec = recOf(n);
    if (!rec.look) continue;
    if (isRowish(rec) || rec.popup) return n;
  }
  const parent = parentOf(el);
  return parent && parent !== document[DOM.body] && (parent[DOM.textContent] || "").length < 200 ? parent : el;
}
