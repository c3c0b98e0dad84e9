// Owns: the current tree (kept up to date by update), and printing it: what lies
// on top first, announcements, then the page.
// Refuses: comparing two states (change.js).

let tree = null;
let listed = [];
let walks = 0;
let walkedAt = -1;

function rootElement() {
  return document[DOM.body] || document[DOM.documentElement];
}

// Brings tree, listed items and refs up to date; force walks everything anew.
function update(force) {
  walks++;
  drain();
  walkedAt = stirs;
  if (force) {
    epoch++;
    shapes++;
  } else sweep();
  const root = rootElement();
  focusNow = focusedElement();
  const flow = root ? flowOf(root, 0, 0) : NOTHING;
  if (!tree || tree.flow !== flow) tree = grow(flow);
  listed = tree.items;
  settleRefs(listed);
  return tree;
}

// Knows the shadow roots and items there are, as far as the document itself changed.
function catchUp() {
  drain();
  if (walkedAt !== stirs) update(false);
}

function grow(flow) {
  let lines = linesOf(flow, 0, rootElement());
  if (lines.length === 1 && lines[0].t === "b" && lines[0].el === rootElement() && !lines[0].head) lines = lines[0].lines;
  const made = { flow, lines, items: [], popups: [], lives: [] };
  gatherTree(lines, made, false);
  countNames(made.items);
  return made;
}

function gatherTree(parts, made, inside) {
  for (const part of parts) {
    if (part.t === "l") {
      for (const seg of part.segs) if (typeof seg !== "string") made.items.push(seg);
      if (part.live && !inside) made.lives.push(part);
    } else if (part.t === "b") {
      if (part.tail) made.items.push(part.tail);
      if (part.popup && !inside) made.popups.push(part);
      gatherTree(part.lines, made, inside || Boolean(part.popup));
    }
  }
}

function snapshot(options) {
  const now = update(true);
  setBase(now);
  const scope = options.scope ? scopeElement(options.scope) : null;
  if (scope && scope.error) return { error: scope.error };
  return finish(scope ? printScope(scope.el, options) : printPage(now, options));
}

function finish(p) {
  foldTitles(p);
  const note = foldNote(p.folded);
  if (note) p.out.push(note);
  return {
    title: safe(clean(document[DOM.title])), text: p.out.join("\n"), frames: p.frames,
    candidates: candidates().length, stir: stirs,
  };
}

// What lies on top comes first. Behind a modal dialog the page is only counted, unless it is asked for.
function printPage(now, options) {
  const p = printer({ ...options, fold: true });
  const fold = p.fold;
  p.fold = null;
  const tops = [...now.popups].reverse();
  const modal = tops.findIndex((part) => part.popup.modal);
  const folded = modal >= 0 && !options.behind;
  const shown = folded ? tops.slice(0, modal + 1) : tops;
  for (const part of shown) printBlock(p, part, "", 0, null);
  for (const part of now.lives) printLine({ ...p, options: { ...p.options, interactive: false } }, part, "");
  p.heads.length = 0;
  if (folded) {
    p.out.push(behindText(now, new Set(shown)));
    return p;
  }
  if (modal >= 0) p.out.push("(page behind the dialog)");
  p.fold = fold;
  printParts(p, now.lines, "", 0, new Set([...now.popups, ...now.lives]));
  return p;
}

function behindText(now, skip) {
  let lines = 0;
  let controls = 0;
  const count = (parts) => {
    for (const part of parts) {
      if (skip.has(part)) continue;
      if (part.t === "b") count(part.lines);
      else if (part.t === "l") {
        lines++;
        for (const seg of part.segs) if (typeof seg !== "string") controls++;
      }
    }
  };
  count(now.lines);
  return "(page behind the dialog: " + lines + " lines, " + controls + " controls)";
}

function scopeElement(target) {
  const found = resolve(target);
  if (found.error) return found;
  if (!found.nodes.length) return { error: { code: "not_found", message: "nothing matches the scope" } };
  return { el: found.nodes[0] };
}

function printScope(el, options) {
  const p = printer(options);
  printParts(p, partsOf(el), "", 0, null);
  return p;
}

// The lines of one element, taken from the kept flow; freshly made if it was not walked.
function partsOf(el) {
  const rec = recOf(el);
  const flow = rec.flow && rec.epoch === epoch ? rec.flow : flowOf(el, 0, 0);
  return linesOf(flow, rec.ctx & PRE, el);
}
