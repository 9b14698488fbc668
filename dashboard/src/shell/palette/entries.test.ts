import { expect, it } from "vitest";
import { foundEntries, type PaletteEntry } from "./entries.ts";

const check = (text: string, hint = "http"): PaletteEntry => ({
  key: text,
  group: "Checks",
  text,
  hint,
  does: `/checks/${text}`,
});
const ENTRIES: readonly PaletteEntry[] = [
  check("Old checkout"),
  check("Checkout", "http shop"),
  check("Recheck", "mcp"),
  { key: "run", group: "This page", text: "Run now", does: () => undefined },
  { key: "page", group: "Pages", text: "Checks", does: "/checks" },
];
const textsOf = (text: string, recent: string[] = []) =>
  foundEntries(ENTRIES, text, recent).map((entry) => entry.text);

it.each([
  ["check", ["Checkout", "Old checkout", "Recheck", "Checks"]],
  ["  CHECKOUT  old", ["Old checkout"]],
  ["shop", ["Checkout"]],
  ["mcp re", ["Recheck"]],
  ["no such", []],
  ["", ["Run now", "Checks"]],
])("%j finds %j", (text, texts) => {
  expect(textsOf(text)).toEqual(texts);
});

it("what was chosen lately comes first", () => {
  expect(textsOf("check", ["Recheck", "Old checkout"])).toEqual([
    "Checkout",
    "Old checkout",
    "Recheck",
    "Checks",
  ]);
  expect(textsOf("", ["Recheck", "gone", "run"])).toEqual(["Recheck", "Run now", "Run now", "Checks"]);
});

it("a heading shows only some, and a pasted id leads to its page", () => {
  const many = Array.from({ length: 1_000 }, (_, i) => check(`Check ${i}`));
  expect(foundEntries(many, "check", []).length).toBe(12);
  expect(foundEntries(many, "inc_01h455vb4pex5vsknk084sn02q", [])).toMatchObject([
    { does: "/incidents/inc_01h455vb4pex5vsknk084sn02q" },
  ]);
  expect(foundEntries(many, "chk_../../x", [])).toEqual([]);
});
