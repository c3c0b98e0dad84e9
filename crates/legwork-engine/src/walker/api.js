// Owns: the names the engine calls. Everything else stays inside.

function markListeners(...elements) {
  for (const el of elements) {
    const rec = recOf(el);
    if (rec.listens) continue;
    rec.listens = true;
    touch(el, SELF);
  }
}

listen();

function showsText({ text }) {
  return { shows: byText(text).length > 0 };
}

// The engine says which ref numbers are free and is told which are taken.
function numbered(operation) {
  return (start, args) => {
    if (start > nextRef) nextRef = start;
    const answer = operation(args);
    return answer instanceof Promise ? answer.then(number) : number(answer);
  };
}

function number(answer) {
  const told = answer ?? {};
  told.next = nextRef;
  return told;
}

const asked = {
  snapshot, change, query, resolve: resolveNamed, find,
  prepare, aftermath, collect: collectAction, peek, nextChange, focusField, setValue, takesValue, chooseOptions, findListOption,
  noteLists, standIn: clickableFor, scrollPage, throughFrame, pointIn, dress, showsText, whose, confide, copyDocument, pageText, offers, unsent,
  listen: listenAtFocus, hosts,
  boxOfFrame: ({ key }) => frameBox(key),
  seesFrame: ({ key }) => ({ seen: frames.has(String(key)) && showsFrame(frames.get(String(key))) }),
};
for (const name of Object.keys(asked)) asked[name] = numbered(asked[name]);

// An object is taken out of the page property by property, a text as a whole: what every action asks for is
// told as text.
for (const name of ["prepare", "listen", "aftermath", "collect"]) asked[name] = written(asked[name]);

function written(operation) {
  return (start, args) => {
    const answer = operation(start, args);
    return answer instanceof Promise ? answer.then(asText) : asText(answer);
  };
}

// Halves of characters, as a cut may leave them, are no JSON that others can read.
function asText(answer) {
  const text = JSON.stringify(answer);
  const whole = (_, value) => (typeof value === "string" ? value.toWellFormed() : value);
  return text.includes("\\ud") ? JSON.stringify(answer, whole) : text;
}

// A frame's first, empty document may leave its window, and with it this world, to the one that follows: there the
// walker begins anew.
globalThis.legwork = {
  ...asked, document,
  candidates, adoptRoot, adoptFrame, markListeners, resume, arm,
  hush, undress, node: nodeOf, record, setCurrentShoppingItem,
};

// Under its own name in this world's window as well, which is not the page's: the page finds neither.
globalThis.setCurrentShoppingItem = setCurrentShoppingItem;
