import { expect, it } from "vitest";
import { compileSpec } from "./compile.ts";

/**
 * A document whose paths all refer to one path item with large parameters: small itself, with a large list of
 * operations.
 */
function sharedParameters(paths: number) {
  const parameters = Array.from({ length: 40 }, (_, n) => ({
    name: `${n}-${"p".repeat(980)}`,
    in: "query",
    schema: { type: "string" },
  }));
  const operation = { responses: { 200: { description: "OK" } } };
  const item = { parameters, get: operation, put: operation, post: operation, delete: operation };
  return {
    openapi: "3.1.0",
    info: { title: "Shared", version: "1" },
    paths: Object.fromEntries(
      Array.from({ length: paths }, (_, n) => [`/p${n}`, { $ref: "#/components/pathItems/shared" }]),
    ),
    components: { pathItems: { shared: item } },
  };
}

const compile = (document: unknown) => compileSpec(Buffer.from(JSON.stringify(document)));

it("a list of operations that is far larger than its document is refused", () => {
  const document = sharedParameters(600);
  expect(JSON.stringify(document).length).toBeLessThan(100_000);
  expect(compile(document)).toMatchObject({
    success: false,
    problems: [{ pointer: "/paths", message: expect.stringContaining("too large") }],
  });
});

it("one within the limit is stored whole", () => {
  const outcome = compile(sharedParameters(10));
  expect(outcome.success && JSON.parse(outcome.spec.operationsJson)).toHaveLength(40);
});
