import { createRequire } from "node:module";
import fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { ConformanceJudge } from "../conformance/judge.ts";
import { compileSpec } from "./compile.ts";
import { openApiLine } from "./validate.ts";

const require = createRequire(import.meta.url);
const documents = [
  "@readme/oas-examples/3.1/json/train-travel.json",
  "@readme/oas-examples/3.0/json/petstore.json",
  "@readme/oas-examples/3.0/json/discriminators.json",
].map((file) => JSON.stringify(require(file)));

/** Every object and list of a document, to be changed in place. */
function containersOf(value: unknown, found: (Record<string, unknown> | unknown[])[] = []) {
  if (typeof value !== "object" || value === null) return found;
  found.push(value as Record<string, unknown>);
  for (const child of Object.values(value)) containersOf(child, found);
  return found;
}

const replacement = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>,
  fc.constantFrom(
    { $ref: "#" },
    { $ref: "#/paths" },
    { $ref: "#/components/schemas" },
    { $ref: "#/%zz" },
    { $ref: 5 },
    { schema: { $ref: "#/info" } },
    { type: "object", properties: { $ref: { type: "string" } } },
    { oneOf: [], discriminator: { propertyName: "x" } },
    { nullable: true, enum: [null] },
    "__proto__",
    { constructor: { prototype: 1 } },
    [[[]]],
  ),
);
const change = fc.record({ at: fc.nat(), key: fc.nat(), replacement, remove: fc.boolean() });

test("any document is accepted, and then judges responses, or is refused with located problems", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...documents),
      fc.array(change, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      (text, changes, isYaml) => {
        const changed = JSON.parse(text);
        for (const { at, key, replacement, remove } of changes) {
          const containers = containersOf(changed);
          const container = containers[at % containers.length] as Record<string, unknown>;
          const keys = Object.keys(container);
          const chosen = keys[key % Math.max(1, keys.length)];
          if (chosen === undefined) continue;
          if (remove) delete container[chosen];
          else container[chosen] = replacement;
        }
        // Holes in lists, which removing leaves, are null on the wire.
        const document = JSON.parse(JSON.stringify(changed));
        const outcome = compileSpec(Buffer.from(isYaml ? stringify(document) : JSON.stringify(document)));
        if (!outcome.success) {
          expect(outcome.problems.length).toBeGreaterThan(0);
          for (const { line, message } of outcome.problems)
            expect([typeof line, message !== ""]).toEqual(["number", true]);
          return;
        }
        const line = openApiLine(document);
        if ("problem" in line) throw new Error("taken, though of no line");
        const judge = new ConformanceJudge(document, line.line);
        for (const { method, path } of JSON.parse(outcome.spec.operationsJson)) {
          const response = {
            method,
            url: "https://example.com/",
            operationPath: `${method} ${path}`,
            status: 200,
            headers: { "x-a": "1" },
            bodyText: '{"a":[1,null]}',
            contentType: "application/json",
            validateHeaders: true,
          };
          expect(Array.isArray(judge.judge(response, judge.prepare(response)).problems)).toBe(true);
        }
      },
    ),
    { numRuns: Math.ceil(Number(process.env.SVC_FUZZ_INPUTS ?? 2_000) / 20) },
  );
});
