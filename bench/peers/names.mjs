// Whether what one snapshot names as interactive is so named in another: by its whole name, and as often.

// Without white space, and without the backslashes that either puts before a character.
const plain = (text) => text.replace(/[\s\u200b\u00a0\\]+/g, "").toLowerCase();

// As Playwright names them.
const ROLES = "button|link|textbox|checkbox|radio|combobox|listbox|option|switch|slider|tab|menuitem|menuitemcheckbox"
  + "|menuitemradio|treeitem|searchbox|spinbutton";

// `<name e1>`, `[name e2]`, `[role name e3]`, and a list with its options: `[combobox name e4 = "A" of A, B]`.
const LINK = /<(?:([^<>]*?|"(?:[^"\\]|\\.)*") )?e\d+\b/y;
const OTHER = new RegExp(`\\[(?:(?:${ROLES}|clickable|draggable|details) )?(?:([^[\\]]*?|"(?:[^"\\\\]|\\\\.)*") )?e\\d+\\b([^[\\]]*)`, "y");
const OPTIONS = / of (.*)$/;

// `Oat milk 1 L (clickable e9)` and `What is an error? (link e8)` name the whole line.
const TAIL = /^ *(?:#+ |- |\| )?(.*) \([a-z]+ e\d+[^()]*\)$/gm;

// What is meant by the words of one mark. What reads like a mark stands in quotation marks: `<"Rc<T>" e4>`. Where
// there is no name, words from around it are a guess: `[combobox (searchtype?) e3]`. A sign is followed by its
// title: `<[*] expr.match e7>`.
function readings(words) {
  const [sign] = words.split(" ");
  const isSign = !/[\p{L}\p{N}]/u.test(sign);
  return [words, words.replace(/^"(.*)"$/s, "$1"), isSign ? sign : words].map(plain);
}

// What stands beside each ref.
function marks(text) {
  const found = [...text.matchAll(TAIL)].map((match) => match[1]);
  for (const [sign, mark] of [["<", LINK], ["[", OTHER]]) {
    for (let at = text.indexOf(sign); at !== -1; at = text.indexOf(sign, at + 1)) {
      mark.lastIndex = at;
      const match = mark.exec(text);
      if (!match) continue;
      const options = OPTIONS.exec(match[2] ?? "")?.[1].split(", ") ?? [];
      found.push(match[1] ?? "", ...options);
    }
  }
  return found.map(readings);
}

// The names of which there are fewer here than are wanted.
export function missing(text, names) {
  const there = new Map();
  for (const mark of marks(text)) {
    const one = { taken: false };
    for (const reading of new Set(mark)) there.set(reading, [...(there.get(reading) ?? []), one]);
  }
  return names.filter((name) => {
    const wanted = plain(name);
    const one = there.get(wanted)?.find((one) => !one.taken);
    if (one) one.taken = true;
    return wanted && !one;
  });
}

// What can be acted on, as Playwright's snapshot lists it.
export function interactive(text) {
  const found = text.matchAll(new RegExp(`^\\s*- '?(?:${ROLES}) "((?:[^"\\\\]|\\\\.)*)"`, "gm"));
  return [...found].map((match) => match[1].replace(/\\(.)/g, "$1").replace(/''/g, "'"));
}
