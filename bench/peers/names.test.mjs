// node --test names.test.mjs

import assert from "node:assert/strict";
import test from "node:test";
import { missing } from "./names.mjs";

const text = `# Shop
- Oat milk 1 L [Add e3] <More about it e4>
Send is a word here
[textbox E-mail e5: ada@example.org] [checkbox Remember me e6]
Say \\"Hello\\" [Say \\"Hello\\" e7]
- Rye bread, sliced (clickable e9)
- Why? Does "it" matter? (link e8)
<fs.open(path\\[, flags])
 and more e10>
<"Rc<T>, the Pointer" e11> <[*] expr.match e12>
`;

test("a name counts right before a ref, and on a line that a ref ends", () => {
  const named = ["Add", "More about it", "E-mail", "Remember me", 'Say "Hello"', "Rye bread", 'Why? Does "it" matter?', "fs.open(path[, flags]) and more", "Rc<T>, the Pointer", "[*]"];
  assert.deepEqual(missing(text, named), []);
});

test("a name counts nowhere else", () => {
  const unnamed = ["Send", "Oat milk", "Shop", "ada@example.org", "the", "+"];
  assert.deepEqual(missing(text, [...unnamed, "Add", "Send"]), unnamed);
  assert.deepEqual(missing("Add", ["Add"]), ["Add"]);
});
