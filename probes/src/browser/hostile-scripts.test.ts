import { describe, expect, it } from "vitest";
import { growthAtDoubleSize } from "../../test-support/cpu-growth.ts";
import { ScriptInvalid, translateScript, wrapScript } from "./script-source.ts";

const KIB = 1024;
/** A script has at most 512 Ki characters. */
const SIZES = [64 * KIB, 128 * KIB, 256 * KIB, 512 * KIB];

describe("a hostile script costs the agent's loop no more than its length", () => {
  const blanks = (size: number) => " ".repeat(size);
  const rows: [string, (size: number) => string][] = [
    ["a step's name full of blanks", (size) => `// @step: a${blanks(size)}b`],
    ["blanks before a mark", (size) => `//${blanks(size)}@step:${blanks(size)}`],
    ["lines of blanks", (size) => `${blanks(100)}\n`.repeat(size / 100)],
    ["nothing but ends of lines", (size) => "\r".repeat(size)],
    ["marks behind a statement", (size) => "x @step:".repeat(size / 8)],
    ["steps everywhere", (size) => "//@step:a\n".repeat(size / 10)],
    ["imports without an end", (size) => "import a\n".repeat(size / 9)],
    ["imports of one quote", (size) => `${"import a\n".repeat(size / 18)}${blanks(size / 2)}'`],
    ["imports that are from nowhere", (size) => `import a${" from".repeat(size / 5)}`],
    ["an export of blanks", (size) => `export ${blanks(size)}`],
    ["exports everywhere", (size) => "export\n".repeat(size / 7)],
  ];
  it.each(rows)("%s", (_name, script) => {
    expect(growthAtDoubleSize(SIZES, script, wrapScript)).toBeLessThan(2.5);
  });
});

describe("a script that ends the compiler", () => {
  it("is refused with a sentence, and other scripts are compiled as before", async () => {
    const nested = await translateScript("(".repeat(500_000)).catch((error: unknown) => error);
    expect(nested).toBeInstanceOf(ScriptInvalid);
    expect((nested as Error).message).toContain("CPU time or 1 GiB of memory");
    expect(await translateScript("console.log('as before')")).toContain("as before");
  });
});
