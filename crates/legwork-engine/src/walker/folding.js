// Owns: what the list of controls does without: links that lead where one of the same words led before,
// links of headings to themselves (how many there were is said at the end), and headings that tell
// nothing apart.
// Refuses: leaving out anything that may do something else than those above it.

// What a list of controls has named so far, and the headings in it.
function folder() {
  return { links: new Set(), names: new Map(), again: 0, own: 0, titles: [] };
}

// The controls of a line that are news to a reader of the list.
function unfolded(fold, items) {
  return items.filter((item) => {
    if (item.role !== "link" || item.tail) return true;
    const own = isPermalink(item);
    const again = !own && isAgain(fold, item);
    if (own) fold.own++;
    if (again) fold.again++;
    return !own && !again;
  });
}

// The same words and the same markup, which says the same address, are the same link, unless a script
// listens to this one.
function isAgain(fold, item) {
  const el = item.el;
  const href = el[DOM.getAttribute]("href");
  if (!href || href === "#" || /^\s*javascript:/i.test(href) || el[DOM.hasAttribute]("onclick") || recOf(el).listens) return false;
  let key = item.full + "\u0002" + item.hint + "\u0002" + item.states;
  for (const { name, value } of el[DOM.attributes]) key += "\u0002" + name + "\u0002" + value;
  if (fold.links.has(key)) return true;
  fold.links.add(key);
  return false;
}

// A sign beside a heading that leads to the heading.
function isPermalink(item) {
  if (/[\p{L}\p{N}]/u.test(item.name)) return false;
  const href = item.el[DOM.getAttribute]("href") || "";
  const heading = href.length > 1 && href[0] === "#" ? item.el[DOM.closest]("h1, h2, h3, h4, h5, h6") : null;
  if (!heading) return false;
  const aim = byId(item.el, decoded(href.slice(1)));
  return aim !== null && (aim[DOM.contains](heading) || heading[DOM.contains](aim));
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const FEW_LINKS = 3;

// A heading is worth its line where controls below it need telling apart, or are more than a few.
function noteTitle(p) {
  p.folded.titles.push({ at: p.out.length, below: [] });
}

function noteControls({ folded }, items) {
  for (const { full } of items) folded.names.set(full, (folded.names.get(full) || 0) + 1);
  const title = folded.titles[folded.titles.length - 1];
  if (title) title.below.push(...items);
}

function isWorthIt({ below }, names) {
  return below.length >= FEW_LINKS || below.some((item) => item.role !== "link" || names.get(item.full) > 1);
}

// The list without the headings that are not worth it, and frames where their lines are now.
function foldTitles(p) {
  const gone = new Set(p.folded.titles.filter((title) => !isWorthIt(title, p.folded.names)).map((title) => title.at));
  if (!gone.size) return;
  const moved = [];
  let kept = 0;
  p.out.forEach((_, at) => { moved[at] = gone.has(at) ? kept : kept++; });
  p.out = p.out.filter((_, at) => !gone.has(at));
  for (const place of p.frames) place.line = moved[place.line];
}

// Nothing is left out without a word.
function foldNote({ again, own }) {
  const said = [];
  if (again) said.push(again + (again === 1 ? " repeated link" : " repeated links"));
  if (own) said.push(own + (own === 1 ? " heading's own" : " headings' own"));
  return said.length ? "(not listed: " + said.join(", ") + ")" : "";
}
