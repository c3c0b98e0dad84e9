// Owns: the current tree (kept up to date by update), and printing it: what lies
// on top first, announcements, then the page.
// Refuses: comparing two states (change.js).

let tree = null;
let listed = [];
let walks = 0;

function rootElement() {
  return document.body || document.documentElement;
}

// Brings tree, listed items and refs up to date; force walks everything anew.
function update(force) {
  walks++;
  drain();
  if (force) epoch++;
  else sweep();
  const root = rootElement();
  focusNow = focusedElement();
  const flow = root ? flowOf(root, 0, 0) : NOTHING;
  if (!tree || tree.flow !== flow) tree = grow(flow);
  listed = tree.items;
  settleRefs(listed);
  return tree;
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
  reserve(options.start || 1);
  const now = update(true);
  base = now;
  baseFocus = focusNow;
  const scope = options.scope ? scopeParts(options.scope, now) : null;
  if (scope && scope.error) return { next: nextRef, error: scope.error };
  const text = scope ? printScope(scope, options) : printPage(now, options);
  return finish(text, now);
}

function finish(lines, now) {
  const keys = [];
  for (const text of lines) {
    const m = /\u0001([^\u0001]+)\u0001/.exec(text);
    if (m) keys.push(m[1]);
  }
  return {
    next: nextRef, url: location.href, title: document.title, text: lines.join("\n"), refs: now.items.length,
    nodes: visited.length, frames: keys, unadopted: unadoptedFrames().length, candidates: candidates().length, stir: stirs,
  };
}

function printPage(now, options) {
  const p = printer({ ...options, fold: true });
  const skip = new Set([...now.popups, ...now.lives]);
  const fold = p.fold;
  p.fold = null;
  const tops = [...now.popups].reverse();
  const modal = tops.findIndex((part) => part.popup.modal);
  const shown = modal < 0 ? tops : tops.slice(0, modal + 1);
  for (const part of shown) printBlock(p, part, "", 0, null);
  for (const part of now.lives) printLine({ ...p, options: { ...p.options, interactive: false } }, part, "");
  p.heads.length = 0;
  if (modal >= 0) {
    p.out.push(behindText(now, new Set(shown)));
    return p.out;
  }
  p.fold = fold;
  printParts(p, now.lines, "", 0, skip);
  return p.out;
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
  return "(page behind the dialog: " + lines + " lines, " + controls + ' controls; scope to "page" to see it)';
}

// A scope is a target, or "page" for everything whatever lies on top.
function scopeParts(scope, now) {
  if (scope === "page") return { page: now };
  const target = typeof scope === "string" ? { css: scope } : scope;
  if (target.css === "page") return { page: now };
  const found = resolve(target);
  if (found.error) return found;
  if (!found.nodes.length) return { error: { code: "not_found", message: "nothing matches the scope" } };
  return { nodes: found.nodes.slice(0, 1) };
}

function printScope(scope, options) {
  const p = printer(options);
  if (scope.page) {
    const whole = printer({ ...options, fold: true });
    printParts(whole, scope.page.lines, "", 0, null);
    return whole.out;
  }
  for (const el of scope.nodes) printParts(p, partsOf(el), "", 0, null);
  return p.out;
}

// The lines of one element, taken from the kept flow; freshly made if it was not walked.
function partsOf(el) {
  const rec = recOf(el);
  const flow = rec.flow && rec.epoch === epoch ? rec.flow : flowOf(el, 0, 0);
  return linesOf(flow, rec.ctx & PRE, el);
}

function lineOf(ref) {
  const el = nodeOf(ref);
  if (!el) return null;
  update(false);
  const p = printer({});
  for (const part of findLines(tree.lines, el)) printLine(p, part, "");
  return p.out[0] || describe(el);
}

function findLines(parts, el) {
  for (const part of parts) {
    if (part.t === "l") {
      if (part.el === el || part.segs.some((seg) => seg.el === el)) return [part];
    } else if (part.t === "b") {
      const found = findLines(part.lines, el);
      if (found.length) return found;
    }
  }
  return [];
}

// For tests: every element that has a role, with what we say of it.
function dump() {
  walks++;
  const elements = [];
  const said = [];
  const stack = [document.documentElement];
  while (stack.length) {
    const el = stack.pop();
    if (SKIPPED.has(el.localName) || getComputedStyle(el).display === "none") continue;
    const role = roleOf(el);
    if (role !== "generic" && role !== "none" && isRendered(el) && el.getAttribute("aria-hidden") !== "true") {
      elements.push(el);
      said.push({ role, name: nameAs(el, role), tag: el.localName });
    }
    if (el.getAttribute("aria-hidden") === "true") continue;
    for (const kid of childrenOf(el).reverse()) {
      if (kid.nodeType === 1 && (el.localName !== "details" || el.open || kid.localName === "summary")) stack.push(kid);
    }
  }
  return { elements, json: JSON.stringify(said) };
}
