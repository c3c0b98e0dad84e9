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

globalThis.legwork = {
  snapshot, change, rebase, query, resolve: resolveNamed, find, dump, candidates, adoptRoot, adoptFrame, unadoptedFrames,
  frameBox, markListeners, node: nodeOf, lineOf, describe,
};
