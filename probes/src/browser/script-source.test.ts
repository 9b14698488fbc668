import { describe, expect, it } from "vitest";
import { ScriptInvalid, translateScript, wrapScript } from "./script-source.ts";

describe("the step markers of a script", () => {
  it.each<[string, string, string[]]>([
    ["a marker", "// @step: Log in", ["Log in"]],
    ["indented, without blanks", "  //@step:Log in  ", ["Log in"]],
    ["several, in their order", "// @step: b\nawait page.goto('/');\n// @step: a", ["b", "a"]],
    ["with a colon and quotes", '// @step: Pay: "card"', ['Pay: "card"']],
    ["lines that end as on Windows", "// @step: a\r\n// @step: b\r\n", ["a", "b"]],
    ["without a name", "// @step:   ", []],
    ["behind a statement", "await x(); // @step: no", []],
    ["in a block comment's style", "/* @step: no */", []],
  ])("%s", (_, script, names) => {
    const calls = wrapScript(script).matchAll(/^await __step\((".*")\);$/gm);
    expect([...calls].map((call) => JSON.parse(call[1] as string))).toEqual(names);
  });
});

describe("wrapScript", () => {
  it("keeps every line of the user's where it was, one line later", () => {
    const script = `import {\n  test,\n  expect,\n} from "@playwright/test";\n\n// @step: One\nawait page.goto("/");\nthrow 1;`;
    const lines = wrapScript(script).split("\n");
    const at = (text: string) => lines.findIndex((line) => line.includes(text));
    const original = script.split("\n");
    expect(at("throw 1;")).toBe(original.indexOf("throw 1;") + 1);
    expect(at('__step("One")')).toBe(original.indexOf("// @step: One") + 1);
  });

  it("puts imports before the function and takes the export from what the script exports", () => {
    const wrapped = wrapScript(
      'import { x } from "node:util";\nexport const price = 3;\nexport default function f() {}',
    );
    expect(wrapped.split("\n")[0]).toMatch(/^import \{ x \} from "node:util"; export default async \(/);
    expect(wrapped).toContain("\nconst price = 3;\nfunction f() {}\n");
  });

  it("a step's name can't end the call that it becomes", () => {
    expect(wrapScript('// @step: "); steal(("')).toContain('await __step("\\"); steal((\\"");');
  });
});

describe("translateScript", () => {
  it("takes types away and keeps what the script does", async () => {
    const code = await translateScript("const n: number = 1 as number;\nconsole.log(n);");
    expect(code).toContain("console.log(n)");
    expect(code).not.toContain(": number");
  });

  it("names the user's own line of what can't be compiled", async () => {
    const failure = await translateScript("const a = 1;\nconst b = ;\n").catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ScriptInvalid);
    expect((failure as Error).message).toMatch(/^the script can't be compiled: .*\(line 2\)$/);
  });

  it("translates the same script once", () => {
    expect(translateScript("console.log(1)")).toBe(translateScript("console.log(1)"));
    expect(translateScript("console.log(1)")).not.toBe(translateScript("console.log(2)"));
  });
});
