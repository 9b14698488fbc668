/** Every exported declaration of product code has a doc comment, so that a reader need not open the code to use it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../harness/control-plane.ts";
import { readProductFiles } from "../harness/product-files.ts";

const DECLARATION =
  /^export (?:default )?(?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/;
/** Lines that may stand between a comment and its declaration. */
const BETWEEN = /^(?:\/\/ biome-ignore |@)/;
const COMMENT_END = /\*\/$/;
/** Migrations are read as a history, from their heads: their exports are `up` and `down`. */
const MIGRATIONS = /\/migrations\//;

/** Returns the exported declarations of a source text that no doc comment stands directly above, as `line: name`. */
function undocumentedIn(text: string): string[] {
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    const name = DECLARATION.exec(line)?.[1];
    if (name === undefined) return [];
    let above = index - 1;
    while (BETWEEN.test(lines[above] ?? "")) above--;
    // An overload is documented by the first one of its name.
    if (new RegExp(`^export (?:async )?function ${name}\\b`).test(lines[above] ?? "")) return [];
    return COMMENT_END.test(lines[above] ?? "") ? [] : [`${index + 1}: ${name}`];
  });
}

it("no exported declaration lacks a doc comment", () => {
  const files = readProductFiles().filter((path) => !MIGRATIONS.test(path));
  const found = files.flatMap((path) =>
    undocumentedIn(readFileSync(join(ROOT, path), "utf8")).map((declaration) => `${path}:${declaration}`),
  );
  expect(found).toEqual([]);
});

it.each([
  ["a comment above", "/** Adds. */\nexport function add() {}", []],
  ["no comment", "const a = 1;\nexport const b = 2;", ["2: b"]],
  ["an empty line between", "/** About the file. */\n\nexport interface Parts {}", ["3: Parts"]],
  [
    "a linter's remark between",
    "/** Adds. */\n// biome-ignore lint/x: y\nexport async function add() {}",
    [],
  ],
  ["a line comment only", "// Adds.\nexport class Adder {}", ["2: Adder"]],
  ["a declaration that is not exported", "const a = 1;", []],
])("%s is judged", (_name, text, expected) => {
  expect(undocumentedIn(text)).toEqual(expected);
});
