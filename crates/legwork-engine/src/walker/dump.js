// Owns: what the agreement test compares with Chrome's accessibility tree. No
// page gets this file; the test puts it behind the others.

// Every element that has a role, with what we say of it.
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

globalThis.legwork.dump = dump;
