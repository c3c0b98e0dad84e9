// Owns: what lies on top of the page (dialogs, menus, list boxes, popovers) and
// what the page announces (toasts, live regions).
// Refuses: deciding how they are printed.

const POPUP_ROLES = { dialog: "dialog", alertdialog: "dialog", menu: "menu", listbox: "listbox", tooltip: "tooltip" };
const OVERLAY_CLASS = /(^|[\s_-])(modal|dialog|popup|popover|lightbox|drawer|datepicker|autocomplete|dropdown-menu|overlay-content|ui-menu|flatpickr-calendar)([\s_-]|$)/i;

function popupOf(el, look, role) {
  if (!look.block || !look.shown || look.concealed) return null;
  const tag = el[DOM.localName];
  let kind = POPUP_ROLES[role] || "";
  if (kind === "tooltip") return null;
  if ((kind === "menu" || kind === "listbox") && !floats(el)) kind = "";
  if (tag === "dialog") kind = "dialog";
  if (!kind && el[DOM.getAttribute]("aria-modal") === "true") kind = "dialog";
  if (!kind && el[DOM.hasAttribute]("popover") && el[DOM.matches](":popover-open")) kind = "popover";
  if (!kind && (look.position === "fixed" || look.position === "absolute")) kind = overlayKind(el, look);
  if (!kind) return null;
  const box = el[DOM.getBoundingClientRect]();
  if (kind !== "dialog" && (box.width < 4 || box.height < 4)) return null;
  const old = recOf(el).popup;
  const modal = kind === "dialog" && isModal(el);
  return old && old.kind === kind && old.modal === modal ? old : { kind, modal };
}

// Menus that are always part of the page do not count as popups.
function floats(el) {
  if (el[DOM.localName] === "select") return false;
  for (let n = el, i = 0; n && i < 4; n = parentOf(n), i++) {
    if (n === document[DOM.body]) return false;
    const position = getComputedStyle(n).position;
    if (position === "fixed" || position === "absolute") return n[DOM.offsetHeight] < innerHeight * 1.5;
  }
  return false;
}

function overlayKind(el, look) {
  const cls = (el[DOM.getAttribute]("class") || "") + " " + el[DOM.id];
  if (!OVERLAY_CLASS.test(cls)) return "";
  const style = getComputedStyle(el);
  if (style.zIndex === "auto" && look.position !== "fixed") return "";
  if (style.pointerEvents === "none") return "";
  return look.position === "fixed" && /modal|dialog|lightbox/i.test(cls) ? "dialog" : "popup";
}

// Modal by markup, or because something that fills the window lies around it.
function isModal(el) {
  if (el[DOM.localName] === "dialog" && el[DOM.matches](":modal")) return true;
  const said = el[DOM.getAttribute]("aria-modal");
  if (said === "true") return true;
  if (el[DOM.querySelector]("[aria-modal=true]")) return true;
  const points = [[4, 4], [innerWidth - 4, 4], [4, innerHeight - 4], [innerWidth - 4, innerHeight - 4]];
  let blocked = 0;
  for (const [x, y] of points) {
    const hit = document[DOM.elementFromPoint](x, y);
    if (hit && (fillsWindow(hit) || (el[DOM.contains](hit) && fillsWindow(el)))) blocked++;
  }
  return blocked >= 3;
}

function fillsWindow(el) {
  if (el === document[DOM.body] || el === document[DOM.documentElement]) return false;
  const position = getComputedStyle(el).position;
  if (position !== "fixed" && position !== "absolute") return false;
  return el[DOM.clientWidth] >= innerWidth * 0.95 && el[DOM.clientHeight] >= innerHeight * 0.95;
}

function popupBlock(el, role, inner, popup) {
  const name = nameAs(el, role);
  const word = popup.kind === "dialog" && role === "alertdialog" ? "alertdialog" : popup.kind;
  const lines = linesOf(inner, 0, el);
  const made = block(el, "headed", (word + " " + shorten(name, NAME_LIMIT)).trim(), withoutTitle(lines, name));
  made.popup = popup;
  return made;
}

// ---- announcements ----

const LIVE_ROLES = { status: "status", alert: "alert", log: "log" };
const TOAST_CLASS = /(^|[\s_-])(toast|snackbar|notification|notice|flash|alert-message|growl|noty|notyf)([\s_-]|$|s\b)/i;

function liveKind(el, role, look) {
  if (LIVE_ROLES[role]) return LIVE_ROLES[role];
  const live = el[DOM.getAttribute]("aria-live");
  if (live === "assertive") return "alert";
  if (live === "polite") return "status";
  if (look.position === "fixed" && TOAST_CLASS.test(el[DOM.getAttribute]("class") || "")) return "status";
  return "";
}

// Short announcements become one line; a whole live page region stays where it is.
function liveLine(el, live, inner) {
  const lines = linesOf(inner, 0, el);
  const sum = measure(lines);
  if (!sum.text && !sum.items) return null;
  if (sum.items > 4 || sum.text > 400) return null;
  const joined = joinLines(el, lines, live);
  return joined ? { ...joined, live } : null;
}
