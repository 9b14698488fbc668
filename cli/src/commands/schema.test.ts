import { Ajv2020 } from "ajv/dist/2020.js";
import addFormatsModule from "ajv-formats";
import { expect, it } from "vitest";
import { runSvc } from "../../test-support/run-svc.ts";
import { COMMANDS } from "../program/registry.ts";

const schema = (...args: string[]) => runSvc(["schema", ...args]);

it("every command that takes --json has a schema that a strict validator of draft 2020-12 accepts", async () => {
  const { commands } = (await schema("--json")).json().data;
  const expected: string[] = [];
  for (const { path, summary, load } of COMMANDS)
    if (summary !== "" && (await load()).command.hasJson !== false) expected.push(path);
  expect(commands.map(({ command }: { command: string }) => command)).toEqual(expected);
  for (const path of expected) {
    const { data } = (await schema(...path.split(" "), "--json")).json();
    const ajv = new Ajv2020({ strict: true, strictTypes: true });
    addFormatsModule.default(ajv);
    expect(() => ajv.compile(data.schema), path).not.toThrow();
    expect(data.schema.$schema).toBe("https://json-schema.org/draft/2020-12/schema");
  }
});

it("a published schema describes the command's output and allows fields of later versions", async () => {
  const { stdout } = await schema("keys");
  const validate = new Ajv2020().compile(JSON.parse(stdout));
  const answer = (await runSvc(["keys", "--json"])).json();
  expect(validate(answer)).toBe(true);
  expect(validate({ ...answer, data: { ...answer.data, later: 1 } })).toBe(true);
  expect(validate({ ...answer, data: {} })).toBe(false);
  expect(validate((await runSvc(["keys", "list", "--json"])).json())).toBe(true);
});

it("without --json the schema alone is printed", async () => {
  const { json } = await schema("monitors", "list", "--json");
  expect(JSON.parse((await schema("monitors", "list")).stdout)).toEqual(json().data.schema);
});

it.each([
  ["keys", "object"],
  ["results tail", "lines"],
  ["status", "object_or_lines"],
])("the output of %s is %s", async (path, output) => {
  expect((await schema(...path.split(" "), "--json")).json().data).toMatchObject({ command: path, output });
});

it("the first words of several commands list these", async () => {
  expect((await schema("results")).stdout).toBe("results get\nresults list\nresults tail\n");
});

it.each([
  ["monitors lits", 'there is no command "monitors lits"; did you mean "monitors list"?'],
  ["dashboard", "svc dashboard has no --json mode"],
  ["complete", 'there is no command "complete"'],
])("svc schema %s says why there is none", async (words, message) => {
  const { code, stderr } = await schema(...words.split(" "));
  expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
});

it("completion offers the words of commands", async () => {
  const after = async (...words: string[]) => (await runSvc(["complete", "--", "schema", ...words])).stdout;
  expect(await after("mon")).toBe("monitors\n");
  expect(await after("results", "")).toBe("get\nlist\ntail\n");
});
