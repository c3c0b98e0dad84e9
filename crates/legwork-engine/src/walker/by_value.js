function () {
  const seen = new WeakSet();
  const plain = (value, depth) => {
    if (typeof value === "bigint") return `${value}n`;
    if (typeof value === "function") return `[function ${value.name || "anonymous"}]`;
    if (typeof value === "symbol") return String(value);
    if (value === null || typeof value !== "object") return value;
    if (seen.has(value)) return "[circular]";
    if (depth > 8) return "[…]";
    seen.add(value);
    if (value instanceof Error) return value.stack || String(value);
    if (typeof Node !== "undefined" && value instanceof Node) {
      return value.outerHTML ? value.outerHTML.slice(0, 300) : String(value.nodeValue);
    }
    if (value instanceof Map) return plain(Object.fromEntries(value), depth);
    if (value instanceof Set) return plain([...value], depth);
    if (typeof value.toJSON === "function") {
      try { return value.toJSON(); } catch { return String(value); }
    }
    if (Array.isArray(value)) return value.slice(0, 1000).map((item) => plain(item, depth + 1));
    const out = {};
    for (const key of Object.keys(value).slice(0, 1000)) {
      try { out[key] = plain(value[key], depth + 1); } catch (error) { out[key] = `[${error}]`; }
    }
    return out;
  };
  return JSON.stringify(plain(this, 0));
}
