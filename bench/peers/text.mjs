// Whether every line that a page shows is in a snapshot of it.

// Letters, without white space and without what marks are made of, which pages have as well.
const plain = (text) => text.replace(/[\s\u200b\u00a0\\"|<>[\]]+/g, "").toLowerCase();

// A snapshot without its marks: `<name e1>` is the name, `[role name e2 = "value"]` is name and value, `(link e3)`
// nothing.
function bare(text) {
  return text
    .replace(/^ *(?:#+|-) /gm, "")
    .replace(/^ *--- .* ---$/gm, "")
    .replace(/ ?\([a-z]+ e\d+[^()]*\)/g, "")
    .replace(/<"((?:[^"\\]|\\.)*)" e\d+[^<>]*>/g, "$1")
    .replace(/<([^<>]*?) ?\be\d+[^<>]*>/g, "$1")
    .replace(/\[([^[\]]*?) ?\be\d+([^[\]]*)\]/g, "$1$2");
}

// A sign may be followed by its title, which the page does not show: `<& primitive reference e4>`.
const untitled = (text) => text.replace(/<([^\s<>\p{L}\p{N}]+) [^<>]*? e\d+[^<>]*>/gu, "$1");

// The lines of the page that are not there, and the share of its characters that is.
export function read(snapshot, page) {
  const there = [snapshot, untitled(snapshot)].map((text) => plain(bare(text)));
  const lines = page.split(/[\n\t]/).map((line) => ({ line: line.trim(), letters: plain(line) })).filter(({ letters }) => letters);
  const lost = lines.filter(({ letters }) => !there.some((text) => text.includes(letters)));
  const size = (list) => list.reduce((sum, { letters }) => sum + letters.length, 0);
  return { lost: lost.map(({ line }) => line), share: 1 - size(lost) / Math.max(size(lines), 1) };
}
