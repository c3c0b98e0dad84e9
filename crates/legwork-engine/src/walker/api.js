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

const KEPT = new Set(["html", "head", "title", "base", "meta", "link", "body", "br", "option", "source", "summary"]);

// The document as text, without the values of secret fields and, on request, without what is hidden.
function copyDocument({ visible }) {
  const root = document[DOM.documentElement] ?? document.documentElement;
  const copy = root.cloneNode(true);
  const twins = [...copy.getElementsByTagName("*")];
  const hidden = [];
  [...root.getElementsByTagName("*")].forEach((el, index) => {
    if (isSecret(el)) twins[index].removeAttribute("value");
    if (visible && !KEPT.has(twins[index].localName) && !isRendered(el)) hidden.push(twins[index]);
  });
  hidden.forEach((twin) => twin.remove());
  return { html: copy.outerHTML };
}

// The engine says which ref numbers are free and is told which are taken.
function numbered(operation) {
  return (args) => {
    reserve(args.start || 1);
    const answer = operation(args);
    const number = (done) => ({ ...done, next: nextRef });
    return answer instanceof Promise ? answer.then(number) : number(answer);
  };
}

const acting = {
  prepare, aftermath, collect: collectAction, peek, nextChange, focusField, setValue, chooseOptions, findListOption,
  noteLists, standIn: clickableFor, scrollPage, throughFrame, dress, showsText, whose, confide, copyDocument, unsent,
  listen: listenAtFocus,
  boxOfFrame: ({ key }) => frameBox(key),
};
for (const name of Object.keys(acting)) acting[name] = numbered(acting[name]);

globalThis.legwork = {
  ...acting,
  snapshot, change, query, resolve: resolveNamed, find, candidates, adoptRoot, adoptFrame, markListeners, resume, arm,
  hush, undress, node: nodeOf,
};
