function () {
  // The page's own code is not run for the sake of the console: getters and toJSON of its making are
  // named, not called. What is read has a limit in number and in size.
  const LONGEST = 10000;
  let left = 1000;
  const seen = new WeakSet();
  const native = (f) => Function.prototype.toString.call(f).includes("[native code]");
  const read = (object, key, depth) => {
    const own = Object.getOwnPropertyDescriptor(object, key);
    if (own && own.get && !native(own.get)) return "[getter]";
    return plain(own && !own.get ? own.value : object[key], depth);
  };
  const plain = (value, depth) => {
    if (typeof value === "bigint") return `${value}n`;
    if (typeof value === "function") return `[function ${value.name || "anonymous"}]`;
    if (typeof value === "symbol") return String(value);
    if (typeof value === "string" && value.length > LONGEST) return value.slice(0, LONGEST) + "…";
    if (value === null || typeof value !== "object") return value;
    if (seen.has(value)) return "[circular]";
    if (depth > 8 || left-- <= 0) return "[…]";
    seen.add(value);
    if (value instanceof Error) return read(value, "stack", depth) || String(value);
    if (typeof Node !== "undefined" && value instanceof Node) {
      return value.outerHTML ? value.outerHTML.slice(0, 300) : String(value.nodeValue);
    }
    if (value instanceof Map) return plain(Object.fromEntries([...value].slice(0, 1000)), depth);
    if (value instanceof Set) return plain([...value].slice(0, 1000), depth);
    if (typeof value.toJSON === "function" && native(value.toJSON)) {
      try { return value.toJSON(); } catch { return String(value); }
    }
    if (Array.isArray(value)) return value.slice(0, 1000).map((item) => plain(item, depth + 1));
    const out = {};
    for (const key of Object.keys(value).slice(0, 1000)) {
      try { out[key] = read(value, key, depth + 1); } catch (error) { out[key] = `[${error}]`; }
    }
    return out;
  };
  const text = JSON.stringify(plain(this, 0));
  return text.length > LONGEST ? text.slice(0, LONGEST) + "…" : text;
}
