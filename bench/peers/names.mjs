// Whether what one snapshot names as interactive is so named in another: not anywhere in its text, but right
// before a ref, or on the line that ends in one.

// Without white space, and without the backslashes that either puts before a character.
const plain = (text) => text.replace(/[\s\u200b\u00a0\\]+/g, "").toLowerCase();

// The names that no ref stands beside.
export function missing(text, names) {
  const segments = text.split(/\be\d+\b/).slice(0, -1);
  const ends = segments.map((segment) => {
    const line = segment.slice(segment.lastIndexOf("\n") + 1);
    // `Oat milk 1 L (clickable e9)` and `What is an error? (link e9)` name the whole line.
    return { named: plain(segment), line: /\([a-z]+\s*$/.test(line) ? plain(line) : undefined };
  });
  return [...new Set(names)].filter((name) => {
    const wanted = plain(name);
    return wanted && !ends.some(({ named, line }) => named.endsWith(wanted) || line?.includes(wanted));
  });
}
