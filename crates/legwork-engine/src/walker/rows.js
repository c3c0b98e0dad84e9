// Owns: composing lines and blocks from flows: headings, rows, cards, tables,
// lists, landmarks, and joining short things on one line.
// Refuses: reading styles, and printing.

const ROW_LIMIT = 260;
const CARD_LIMIT = 160;

function line(el, kind, segs, level) {
  let size = 0;
  for (const seg of segs) size += typeof seg === "string" ? seg.length : seg.name.length + 8;
  return { t: "l", el, kind, segs, level: level || 0, size };
}

function block(el, kind, head, lines, tail) {
  let rows = 0;
  let size = 0;
  for (const part of lines) {
    rows += part.t === "b" ? part.rows + 1 : 1;
    size += part.size;
  }
  return { t: "b", el, kind, head, lines, rows, size, tail: tail || null, popup: null };
}

// Splits a flow into lines at breaks, lines and blocks.
function linesOf(mixed, pre, el) {
  const flow = openCells(mixed);
  const out = [];
  let segs = [];
  const flush = () => {
    const made = pre ? rawSegs(segs) : tidySegs(segs);
    if (made.length) for (const part of pre ? [made] : perField(made)) out.push(line(el || null, pre ? "pre" : "p", part));
    else if (pre && out.length) out.push(line(el || null, "pre", []));
    segs = [];
  };
  for (const piece of flow) {
    if (typeof piece === "string" || piece.t === "i") {
      segs.push(piece);
      continue;
    }
    if (segs.length || (pre && piece === BREAK)) flush();
    if (piece !== BREAK) out.push(piece);
  }
  if (segs.length) flush();
  while (pre && out.length && out[out.length - 1].t === "l" && !out[out.length - 1].segs.length) out.pop();
  return out;
}

// A form without any markup between its fields: one field, one line.
function perField(segs) {
  let count = 0;
  for (const seg of segs) if (typeof seg !== "string" && FIELD_ROLES.has(seg.role)) count++;
  if (count < 3) return [segs];
  const out = [[]];
  for (const seg of segs) {
    if (typeof seg !== "string" && FIELD_ROLES.has(seg.role) && out[out.length - 1].some((other) => typeof other !== "string")) out.push([]);
    out[out.length - 1].push(seg);
  }
  return out;
}

function rawSegs(segs) {
  const out = [];
  for (const seg of segs) {
    if (typeof seg === "string" && typeof out[out.length - 1] === "string") out[out.length - 1] += seg;
    else out.push(seg);
  }
  if (out.length && typeof out[out.length - 1] === "string") out[out.length - 1] = out[out.length - 1].trimEnd();
  return out.length === 1 && !out[0].length && typeof out[0] === "string" ? [] : out;
}

// Merges strings, collapses white space, and drops words that the next or
// previous item's name says again.
function tidySegs(segs) {
  const out = [];
  for (const seg of segs) {
    if (typeof seg !== "string") out.push(seg);
    else if (typeof out[out.length - 1] === "string") out[out.length - 1] += seg;
    else out.push(seg);
  }
  const kept = [];
  for (let i = 0; i < out.length; i++) {
    const seg = out[i];
    if (typeof seg !== "string") {
      kept.push(seg);
      continue;
    }
    let text = seg.replace(/[\s\u00a0\u200b\ufeff]+/g, " ").replace(PRIVATE_USE, "");
    if (i === 0) text = text.trimStart();
    if (i === out.length - 1) text = text.trimEnd();
    if (!text || repeats(text, out[i + 1]) || repeats(text, out[i - 1])) text = text && i && i < out.length - 1 ? " " : "";
    if (text && !(text === " " && !kept.length)) kept.push(text);
  }
  while (kept.length && kept[kept.length - 1] === " ") kept.pop();
  return kept;
}

function repeats(text, item) {
  if (!item || typeof item === "string" || item.role === "link" || item.role === "button") return false;
  const word = text.replace(/[:*\s]+$/g, "").trim();
  return word !== "" && word === item.name.replace(/[:*\s]+$/g, "");
}

function eachSeg(pieces, visit) {
  for (const piece of pieces) {
    if (typeof piece === "string" || piece.t === "i") visit(piece);
    else if (piece.t === "l") for (const seg of piece.segs) visit(seg);
    else if (piece.t === "b") {
      eachSeg(piece.lines, visit);
      if (piece.tail) visit(piece.tail);
    }
  }
}

function measure(flow) {
  const sum = { items: 0, text: 0, lines: 0, first: null };
  for (const piece of flow) {
    if (typeof piece !== "string" && piece.t !== "i") sum.lines += piece.t === "b" ? piece.rows : 1;
  }
  eachSeg(flow, (seg) => {
    if (typeof seg === "string") sum.text += seg.trim().length;
    else {
      sum.items++;
      if (!sum.first) sum.first = seg;
    }
  });
  return sum;
}

// One line out of several, or null when that would be long or would hide structure.
function joinLines(el, lines, kind, extra) {
  let size = 0;
  let count = 0;
  for (const part of lines) {
    size += part.size;
    count += part.t === "b" ? part.rows : 1;
    if (part.t === "b" && !plainBlock(part)) return null;
    if (part.t === "l" && part.kind === "pre" && lines.length > 1) return null;
    if (part.t === "l" && part.kind === "frame") return null;
  }
  const limit = kind === "card" ? CARD_LIMIT : ROW_LIMIT;
  if ((size > limit || count > 12) && lines.length !== 1) return null;
  if (lines.length === 1 && lines[0].t === "b" && (size > limit || count > 12)) return null;
  const segs = [];
  for (const part of lines) spread(part, segs);
  if (extra) segs.push(...extra);
  if (!segs.length) return null;
  return line(el, kind === "card" ? "row" : kind, segs);
}

function plainBlock(part) {
  return part.head === "" && !part.popup && part.kind === "plain" && !part.tail &&
    part.lines.every((inner) => (inner.t === "l" ? inner.kind !== "frame" : plainBlock(inner)));
}

function spread(part, segs) {
  if (part.t === "b") {
    for (const inner of part.lines) spread(inner, segs);
    return;
  }
  const last = segs[segs.length - 1];
  if (segs.length) {
    if (typeof last === "string") segs[segs.length - 1] = last.trimEnd() + " ";
    else segs.push(" ");
  }
  for (const seg of part.segs) segs.push(seg);
}

// ---- by role ----

const HEADS = {
  navigation: "nav", main: "main", banner: "banner", contentinfo: "footer", complementary: "aside", form: "form",
  search: "search", region: "region", group: "group", radiogroup: "radiogroup", toolbar: "toolbar", tablist: "tabs",
  menu: "menu", menubar: "menubar", listbox: "listbox", tree: "tree", tabpanel: "tabpanel", dialog: "dialog",
  alertdialog: "alertdialog", table: "table", grid: "grid", treegrid: "grid", figure: "figure", list: "list",
  article: "article", feed: "feed", application: "application",
};
const BARE_HEADS = new Set(["navigation", "main", "search", "dialog", "alertdialog", "menu", "listbox", "toolbar", "tablist", "tree", "complementary", "contentinfo"]);

function compose(el, rec, look, inner, ctx) {
  const role = look.role;
  const popup = popupOf(el, look, role);
  rec.popup = popup;
  if (!inner.length) return el[DOM.localName] === "svg" && !(ctx & (CONCEALED | COVERED)) ? svgFlow(el, look, inner) : NOTHING;
  if (popup) return [popupBlock(el, role, inner, popup)];
  const live = liveKind(el, role, look);
  if (live) {
    const said = liveLine(el, live, inner);
    if (said) return [said];
  }
  const special = composeRole(el, role, look, inner, ctx);
  if (special) return special;
  if (look.svg || el[DOM.localName] === "svg") return svgFlow(el, look, inner);
  if (!look.block || (ctx & INROW && !measure(inner).lines)) return look.block || look.display === "inline-block" ? padded(inner) : inner;
  return blockFlow(el, look, inner, ctx);
}

function padded(inner) {
  return [" ", ...inner, " "];
}

function composeRole(el, role, look, inner, ctx) {
  switch (role) {
    case "heading": return headingFlow(el, inner);
    case "listitem": return rowFlow(el, linesOf(inner), "li");
    case "row": case "layout row": return tableRow(el, inner);
    case "cell": case "gridcell": case "columnheader": case "rowheader": case "layout cell":
      return [cellOf(el, inner)];
    case "article": return look.block ? rowFlow(el, linesOf(inner), "card") : null;
    default: break;
  }
  if (el[DOM.localName] === "pre") return [block(el, "plain", "", linesOf(inner, true, el))];
  if (HEADS[role]) {
    const head = headOf(el, role);
    if (head || look.scroll) return headed(el, role, head, linesOf(inner, 0, el), look);
  }
  return null;
}

function headOf(el, role) {
  const name = nameAs(el, role);
  if (name && isUnread(el, name)) return HEADS[role];
  if (name) return HEADS[role] + " " + shorten(name, NAME_LIMIT);
  return BARE_HEADS.has(role) ? HEADS[role] : "";
}

// A label of a word or three says what a part is for. A sentence that nobody sees is for readers like ours.
function isUnread(el, name) {
  const label = el[DOM.getAttribute]("aria-label");
  if (!label || name !== clean(label) || name.split(" ").length <= 3) return false;
  return !clean(el[DOM.innerText] || "").toLowerCase().includes(name.toLowerCase());
}

function headed(el, role, head, lines, look) {
  if (!lines.length) return NOTHING;
  const kept = withoutTitle(lines, head.slice(HEADS[role].length + 1));
  const made = block(el, "headed", head, kept);
  if (look && look.scroll) made.tail = scrollItem(el);
  return [made];
}

// The first line of a named block is often its name once more.
function withoutTitle(lines, name) {
  const first = lines[0];
  if (!name || !first || first.t !== "l" || first.segs.length !== 1 || typeof first.segs[0] !== "string") return lines;
  return first.segs[0].trim() === name && lines.length > 1 ? lines.slice(1) : lines;
}

function scrollItem(el) {
  const rec = recOf(el);
  if (!rec.scrollItem) {
    rec.scrollItem = { t: "i", el, role: "scrollable", name: "", hint: "", aria: "", full: "", value: "", extra: "", states: "", tail: true, draw: "", key: "s" };
  }
  return rec.scrollItem;
}

function headingFlow(el, inner) {
  const joined = joinLines(el, linesOf(inner), "heading");
  if (joined) {
    const segs = joined.segs.filter((seg) => seg !== " ");
    if (!segs.length) return NOTHING;
    return [line(el, "heading", joined.segs, headingLevel(el))];
  }
  return [block(el, "plain", "", linesOf(inner))];
}

function rowFlow(el, lines, kind) {
  if (!lines.length) return NOTHING;
  const joined = joinLines(el, lines, kind);
  if (joined) return [joined];
  if (kind === "li") return [block(el, "li", "", lines)];
  return lines.length === 1 ? lines : [block(el, "plain", "", lines)];
}

function cellOf(el, inner) {
  return { t: "c", el, flow: inner, span: el.colSpan || 1 };
}

function tableRow(el, inner) {
  const cells = [];
  const rest = [];
  let size = 0;
  let plain = true;
  for (const piece of inner) {
    if (typeof piece === "string" && !piece.trim()) continue;
    if (piece === BREAK) continue;
    // A cell that is clickable itself comes as its control.
    if (piece.t === "i" || (piece.t === "l" && piece.kind === "row")) {
      const made = line(piece.el, "cell", piece.t === "i" ? [piece] : piece.segs);
      size += made.size;
      cells.push(made);
      continue;
    }
    if (piece.t !== "c") {
      rest.push(piece);
      continue;
    }
    const lines = linesOf(piece.flow);
    const joined = lines.length ? joinLines(piece.el, lines, "cell") : line(piece.el, "cell", []);
    if (!joined) plain = false;
    else size += joined.size;
    cells.push(joined || block(piece.el, "plain", "", lines));
  }
  if (!cells.length) return rest.length ? rowFlow(el, linesOf(rest), "row") : NOTHING;
  if (!plain || size > 600) return looseRow(el, cells, rest);
  return oneRow(el, cells, rest);
}

function oneRow(el, cells, rest) {
  while (cells.length && !cells[cells.length - 1].segs.length) cells.pop();
  if (!cells.length) return NOTHING;
  const segs = [];
  for (const [i, cell] of cells.entries()) {
    if (i) segs.push(" | ");
    for (const seg of cell.segs) segs.push(seg);
  }
  for (const part of rest) if (typeof part === "string" || part.t === "i") segs.push(" ", part);
  const bare = cells.length === 1;
  return [line(el, bare ? "row" : "tr", segs), ...rest.filter((part) => part.t === "l" || part.t === "b")];
}

// A row with much in it: its cells one after the other.
function looseRow(el, cells, rest) {
  const lines = [];
  for (const cell of cells) {
    if (cell.t === "l" && !cell.segs.length) continue;
    if (cell.t === "l") lines.push(line(cell.el, "p", cell.segs));
    else lines.push(...cell.lines);
  }
  for (const part of rest) if (part.t === "l" || part.t === "b") lines.push(part);
  if (!lines.length) return NOTHING;
  return [block(el, "plain", "", lines)];
}

// Cells outside a row (CSS tables, broken markup) are plain content.
function openCells(flow) {
  if (!flow.some((piece) => piece.t === "c")) return flow;
  const out = [];
  for (const piece of flow) {
    if (piece.t === "c") out.push(...piece.flow, " ");
    else out.push(piece);
  }
  return out;
}

function blockFlow(el, look, inner, ctx) {
  const lines = linesOf(inner, ctx & PRE || el[DOM.localName] === "pre", el);
  if (!lines.length) return NOTHING;
  if (look.scroll) return [block(el, "plain", "", lines, scrollItem(el))];
  if ((ctx & CARD || look.flexRow) && lines.length > 1) {
    const joined = joinLines(el, lines, "card");
    if (joined) return [joined];
  }
  if (ctx & CARD && lines.length === 1 && lines[0].t === "l" && lines[0].kind === "p") {
    return [line(el, "row", lines[0].segs)];
  }
  return lines.length > 8 ? [block(el, "plain", "", lines)] : lines;
}

// Drawings: their texts and shapes one can click; the other shapes of a big drawing in brief.
function svgFlow(el, look, inner) {
  if (el[DOM.localName] !== "svg") return el[DOM.localName] === "text" ? [" ", ...inner, " "] : inner;
  const shapes = drawnShapes(el, measure(inner).text > 0);
  return blockFlow(el, { ...look, scroll: false, flexRow: false }, shapes ? [...inner, BREAK, shapes] : inner, 0);
}

// Many shapes of one kind, like the arrows of a diagram or the ticks of an axis, are counted.
const MANY_SHAPES = 6;
const ORNAMENT = "small shapes";

// Shapes that are told alike; in a crowd, whatever is small is ornament, which a drawing with words does
// without.
function shapeKind(el, crowded) {
  const style = getComputedStyle(el);
  const box = el[DOM.getBoundingClientRect]();
  if (crowded && box.width < 16 && box.height < 16) return ORNAMENT;
  const about = (size) => Math.round(size / 4) * 4;
  const colour = colourName(style.fill !== "none" ? style.fill : style.stroke);
  return "× " + el[DOM.localName] + ", " + colour + ", " + about(box.width) + "×" + about(box.height);
}

function drawnShapes(svg, worded) {
  if (svg[DOM.clientWidth] < 64 || svg[DOM.clientHeight] < 64) return "";
  const all = [...svg[DOM.querySelectorAll]("circle, ellipse, rect, polygon, line")].filter((el) => !(el[RECORD] && el[RECORD].item) && isRendered(el));
  if (!all.length) return "";
  const kinds = new Map();
  for (const el of all) gather(kinds, shapeKind(el, all.length > 2 * MANY_SHAPES), el);
  if (worded) kinds.delete(ORNAMENT);
  if (!kinds.size) return "";
  const said = [];
  for (const [kind, els] of kinds) said.push(...(els.length < MANY_SHAPES ? els.map(drawHint) : [els.length + " " + kind]));
  return "(drawn: " + said.slice(0, 20).join("; ") + (said.length > 20 ? "; +" + (said.length - 20) : "") + ")";
}
