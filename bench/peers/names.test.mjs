// node --test names.test.mjs

import assert from "node:assert/strict";
import test from "node:test";
import { interactive, missing } from "./names.mjs";
import { read } from "./text.mjs";

const text = `# Shop
- Oat milk 1 L [Add e3] <More about it e4> <Help e14> <Help e15>
Send is a word here
[textbox E-mail e5: ada@example.org] [checkbox Remember me e6]
[combobox Size e16 = "Small" of Small, Large] [menuitemcheckbox Wrap e17] [treeitem Trees e18] [textbox (mail?) e19]
Say \\"Hello\\" [Say \\"Hello\\" e7]
- Rye bread, sliced (clickable e9)
- Why? Does "it" matter? (link e8)
<fs.open(path\\[, flags])
 and more e10> <fs.complete16() e13> <"hot" e20> <() e21>
<"Rc<T>, the Pointer" e11> <[*] expr.match e12>
`;

test("a name counts where it is the whole name beside a ref", () => {
  const named = ["Add", "More about it", "Help", "Help", "E-mail", "Remember me", "Size", "Small", "Large", "Wrap", "Trees", 'Say "Hello"',
    "Rye bread, sliced", 'Why? Does "it" matter?', "fs.open(path[, flags]) and more", "fs.complete16()", '"hot"', "()", "Rc<T>, the Pointer", "[*]"];
  assert.deepEqual(missing(text, named), []);
});

test("a name counts nowhere else", () => {
  const unnamed = ["Send", "Oat milk", "Shop", "ada@example.org", "the", "+", "about it", "Rye bread", "open", "more", "Pointer", "mail?"];
  assert.deepEqual(missing(text, [...unnamed, "Add"]), unnamed);
  assert.deepEqual(missing("Add", ["Add"]), ["Add"]);
});

test("a name counts once for each ref that it stands beside", () => {
  assert.deepEqual(missing(text, ["Help", "Help", "Help", "Add", "Add"]), ["Help", "Add"]);
});

test("what Playwright lists is all that can be acted on", () => {
  const theirs = `- link "Home" [ref=e1]
  - 'button "Menu: open" [ref=e2]'
  - option "Small" [selected]
  - treeitem "Trees" [ref=e3]
  - menuitemcheckbox "Say \\"it\\"" [ref=e4]
  - heading "Shop" [level=1]
  - text: link "no"`;
  assert.deepEqual(interactive(theirs), ["Home", "Menu: open", "Small", "Trees", 'Say "it"']);
});

test("a line of the page is there with or without the marks in it", () => {
  assert.deepEqual(read(text, "[*]\nShop\nOat milk 1 L\tAdd\nRye bread, sliced\nWhy? Does \"it\" matter?"), { lost: [], share: 1 });
  const { lost, share } = read(text, "Shop\nGone\n");
  assert.deepEqual(lost, ["Gone"]);
  assert.equal(share, 0.5);
});
