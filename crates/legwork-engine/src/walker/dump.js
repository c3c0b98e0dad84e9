// Owns: what the agreement test compares with Chrome's accessibility tree. No
// page gets this file; the test puts it behind the others.

// Every element that has a role, with what we say of it.
function dump() {
  walks++;
  const elements = [];
  const said = [];
  const stack = [document[DOM.documentElement]];
  while (stack.length) {
    const el = stack.pop();
    if (SKIPPED.has(el[DOM.localName]) || getComputedStyle(el).display === "none") continue;
    const role = roleOf(el);
    if (role !== "generic" && role !== "none" && isRendered(el) && el[DOM.getAttribute]("aria-hidden") !== "true") {
      elements.push(el);
      said.push({ role, name: nameAs(el, role), tag: el[DOM.localName], states: dumpedStates(el, role) });
    }
    if (el[DOM.getAttribute]("aria-hidden") === "true") continue;
    for (const kid of childrenOf(el).reverse()) {
      if (kid[DOM.nodeType] === 1 && (el[DOM.localName] !== "details" || el.open || kid[DOM.localName] === "summary")) stack.push(kid);
    }
  }
  return { elements, json: JSON.stringify(said) };
}

// Its states by Chrome's names for them, those that hold. "Collapsed" is said of what can be expanded.
function dumpedStates(el, role) {
  const all = {
    checked: checkedOf(el, role),
    expanded: expandedOf(el),
    pressed: ariaState(el, "pressed"),
    selected: el[DOM.localName] === "option" ? String(el.selected) : ariaState(el, "selected"),
    disabled: String(isDisabled(el)),
    required: String(el.required === true || el[DOM.getAttribute]("aria-required") === "true"),
    readonly: String(el.readOnly === true || el[DOM.getAttribute]("aria-readonly") === "true"),
    invalid: String(invalidText(el) !== ""),
  };
  return Object.fromEntries(Object.entries(all).filter(([name, value]) => value && (value !== "false" || name === "expanded")));
}

globalThis.legwork.dump = dump;
