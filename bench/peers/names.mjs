// Whether what one snapshot names as interactive is so named in another: not anywhere in its text, but right
// before a ref, or on the line that ends in one.

// Without white space, and without the backslashes that either puts before a character. What reads like a mark
// stands in quotation marks: `<"Rc<T>" e4>`.
const plain = (text) => text.replace(/[\s\u200b\u00a0\\]+/g, "").toLowerCase();

// The names that no ref stands beside.
export function missing(text, names) {
  const segments = text.split(/\be\d+\b/).slice(0, -1);
  const ends = segments.map((segment) => {
    const line = segment.slice(segment.lastIndexOf("\n") + 1);
    const named = plain(segment);
    // A sign is followed by its title: `<[*] expr.match e7>`.
    const signed = named.slice(named.lastIndexOf("<") + 1);
    // `Oat milk 1 L (clickable e9)` and `What is an error? (link e9)` name the whole line.
    const whole = /\([a-z]+\s*$/.test(line) ? plain(line) : undefined;
    return { named, quoted: named.replace(/"$/, ""), signed, line: whole };
  });
  return [...new Set(names)].filter((name) => {
    const wanted = plain(name);
    const isSign = !/[\p{L}\p{N}]/u.test(wanted);
    return wanted && !ends.some(({ named, quoted, signed, line }) => named.endsWith(wanted) || quoted.endsWith(wanted)
      || line?.includes(wanted) || (isSign && signed.startsWith(wanted)));
  });
}
