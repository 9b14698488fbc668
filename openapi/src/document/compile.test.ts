import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { aDocument } from "../../test-support/documents.ts";
import { compileSpec } from "./compile.ts";
import type { SpecOperation } from "./operations.ts";
import { describeProblem } from "./problem.ts";

const require = createRequire(import.meta.url);

/** A file of an installed package, exported or not. */
function published(file: string): Uint8Array {
  const [, packageName = "", path = ""] = /^((?:@[^/]+\/)?[^/]+)\/(.+)$/.exec(file) ?? [];
  const folder = require.resolve.paths(packageName)?.find((base) => existsSync(join(base, packageName)));
  return readFileSync(join(folder ?? "", packageName, path));
}

function problemsOf(text: string | Uint8Array): string[] {
  const outcome = compileSpec(typeof text === "string" ? Buffer.from(text) : text);
  return outcome.success ? [] : outcome.problems.map(describeProblem);
}

function compiled(text: string, sourceUrl?: string) {
  const outcome = compileSpec(Buffer.from(text), sourceUrl);
  if (!outcome.success) throw new Error(outcome.problems.map(describeProblem).join("\n"));
  return outcome.spec;
}

function operationsOf(document: unknown, sourceUrl?: string): SpecOperation[] {
  return JSON.parse(compiled(JSON.stringify(document), sourceUrl).operationsJson);
}

describe("texts that are no document are refused with the position of the problem", () => {
  const minimal = (rest = "") => `openapi: 3.0.3\ninfo: {title: T, version: "1"}\npaths: {}\n${rest}`;
  test.each([
    ["nothing", "", ["the document is empty"]],
    ["no UTF-8", new Uint8Array([0x7b, 0xff, 0xfe]), ["the document is not valid UTF-8 text"]],
    [
      "a list",
      "[]",
      ["line 1, column 1: not an OpenAPI document: expected an object; supported are OpenAPI 3.0 and 3.1"],
    ],
    [
      "Swagger 2.0",
      '{\n "swagger": "2.0"}',
      ["line 2, column 2, /swagger: Swagger 2.0 is not supported; supported are OpenAPI 3.0 and 3.1"],
    ],
    [
      "OpenAPI 3.2",
      "openapi: 3.2.0",
      ['line 1, column 1, /openapi: OpenAPI "3.2.0" is not supported; supported are OpenAPI 3.0 and 3.1'],
    ],
    ["broken JSON", '{"a": 1,\n "b": }', ["line 2, column 7: not valid JSON: expected a value"]],
    ["a key twice in JSON", '{"a": {"b": 1,\n"b": 2}}', ["line 2, column 1, /a/b: this key appears twice"]],
    [
      "a key twice in YAML",
      minimal("paths: {}"),
      ["line 4, column 1: not valid YAML: Map keys must be unique"],
    ],
    ["two YAML documents", `${minimal()}---\n${minimal()}`, [expect.stringContaining("not valid YAML:")]],
  ])("%s", (_name, text, expected) => {
    expect(problemsOf(text)).toEqual(expected);
  });

  test("nesting without end is refused, in JSON and in YAML", () => {
    expect(problemsOf("[".repeat(100_000))).toEqual([
      expect.stringContaining("nested deeper than 200 levels"),
    ]);
    expect(problemsOf(`a: ${"[".repeat(5_000)}${"]".repeat(5_000)}`)).toEqual([
      expect.stringContaining("nested deeper than 200 levels"),
    ]);
  });

  test("a bomb of YAML aliases is refused, not expanded", () => {
    const levels = Array.from(
      { length: 9 },
      (_, i) => `l${i + 1}: &l${i + 1} [${`*l${i}, `.repeat(9)}*l${i}]`,
    );
    const bomb = minimal(`x-bomb:\n  l0: &l0 lol\n${levels.map((line) => `  ${line}`).join("\n")}\n`);
    expect(problemsOf(bomb)).toEqual([expect.stringContaining("Excessive alias count")]);
  });

  test("a large value repeated by aliases is refused once it exceeds the bound", () => {
    const text = minimal(`x-a: &a "${"x".repeat(1_000_000)}"\nx-b: [${"*a, ".repeat(40)}*a]\n`);
    expect(problemsOf(text)).toEqual([expect.stringContaining("with its aliases expanded")]);
  });

  test("a document over 10 MiB is refused before it is read", () => {
    expect(problemsOf(Buffer.alloc(10 * 1024 * 1024 + 1, " "))).toEqual([
      "the document has 10485761 bytes; largest is 10485760",
    ]);
  });
});

describe("every problem of an invalid document is listed with its position", () => {
  test("structure, references and their circles in one answer", () => {
    const text = `openapi: 3.0.3
info:
  title: T
paths:
  /a:
    get:
      summry: typo
      responses:
        "200": {$ref: "#/components/responses/Missing"}
        "400": {$ref: "other.yaml#/x"}
  /b:
    get:
      responses:
        "20": {description: no such status}
components:
  schemas:
    A: {$ref: "#/components/schemas/B"}
    B: {$ref: "#/components/schemas/A"}
    C: {type: strin}
`;
    expect(problemsOf(text)).toEqual([
      'line 2, column 1, /info: the field "version" is missing',
      'line 7, column 7, /paths/~1a/get/summry: unknown field "summry"',
      'line 9, column 17, /paths/~1a/get/responses/200/$ref: "#/components/responses/Missing" refers to nothing in this document',
      'line 10, column 17, /paths/~1a/get/responses/400/$ref: "other.yaml#/x" refers to another document; bundle the description into one document first',
      'line 14, column 9, /paths/~1b/get/responses/20: unknown field "20"',
      'line 17, column 9, /components/schemas/A/$ref: "#/components/schemas/B" leads only in a circle',
      'line 18, column 9, /components/schemas/B/$ref: "#/components/schemas/A" leads only in a circle',
      "line 19, column 9, /components/schemas/C/type: expected one of array, boolean, integer, number, object, string",
    ]);
  });

  test("schemas of 3.1 are validated by JSON Schema", () => {
    const document = aDocument({ openapi: "3.1.0", components: { schemas: { A: { type: "strin" } } } });
    expect(problemsOf(JSON.stringify(document))[0]).toContain("/components/schemas/A/type");
  });

  test("references inside examples and names that look like keywords are left alone", () => {
    const document = aDocument({
      components: {
        schemas: {
          A: {
            type: "object",
            example: { $ref: "not a reference" },
            properties: { default: { $ref: "#/components/schemas/A" }, example: { type: "string" } },
          },
        },
      },
    });
    expect(problemsOf(JSON.stringify(document))).toEqual([]);
  });
});

test.each([
  "rclone-openapi/openapi.json",
  "rclone-openapi/openapi.yaml",
  "@readme/oas-examples/3.0/json/star-trek.json",
  "@readme/oas-examples/3.0/yaml/star-trek.yaml",
  "@readme/oas-examples/3.0/json/circular.json",
  "@readme/oas-examples/3.1/json/train-travel.json",
  "@readme/oas-examples/3.1/yaml/readme.yaml",
])("the published description %s is taken", (file) => {
  expect(problemsOf(published(file))).toEqual([]);
});

test("JSON and YAML of the same description are the same document", () => {
  const json = compileSpec(published("rclone-openapi/openapi.json"));
  const yaml = compileSpec(published("rclone-openapi/openapi.yaml"));
  if (!json.success || !yaml.success) throw new Error("not compiled");
  expect(yaml.spec.contentSha256).toBe(json.spec.contentSha256);
  expect(json.spec.operationCount).toBe(101);
  expect(JSON.parse(gunzipSync(json.spec.contentGzip).toString()).info.title).toBe("Rclone RC API");
});

describe("operations", () => {
  const parameter = (name: string, place: string, rest: object) => ({
    name,
    in: place,
    required: place === "path",
    ...rest,
  });

  test("carry method, path, servers, parameters, security and responses", () => {
    const operations = operationsOf(
      aDocument({
        servers: [{ url: "https://{region}.example.com/v1", variables: { region: { default: "eu" } } }],
        security: [{ key: [] }],
        paths: {
          "/pets/{id}": {
            parameters: [parameter("id", "path", { schema: { type: "integer", default: 7 } })],
            get: {
              operationId: "getPet",
              summary: "A pet",
              parameters: [{ $ref: "#/components/parameters/Fields" }],
              responses: { 200: { description: "ok" }, default: { description: "other" } },
            },
            delete: { security: [], responses: { 204: { description: "gone" } } },
          },
        },
        components: {
          securitySchemes: { key: { type: "apiKey", name: "k", in: "header" } },
          parameters: {
            Fields: {
              name: "fields",
              in: "query",
              example: ["a b", "c"],
              schema: { type: "array", items: {} },
            },
          },
        },
      }),
    );
    expect(operations).toEqual([
      {
        method: "GET",
        path: "/pets/{id}",
        operationId: "getPet",
        summary: "A pet",
        deprecated: false,
        servers: ["https://eu.example.com/v1"],
        parameters: [
          { name: "id", in: "path", required: true, sample: "7" },
          { name: "fields", in: "query", required: false, sample: "fields=a%20b&fields=c" },
        ],
        security: [["key"]],
        schemes: [{ name: "key", type: "apiKey", in: "header", parameter: "k" }],
        responses: ["200", "default"],
      },
      expect.objectContaining({ method: "DELETE", security: [], responses: ["204"] }),
    ]);
  });

  test.each([
    ["path simple list", "path", {}, [3, "a/b"], "3,a%2Fb"],
    ["path label", "path", { style: "label" }, 5, ".5"],
    ["path matrix list exploded", "path", { style: "matrix", explode: true }, [1, 2], ";p=1;p=2"],
    ["path object", "path", {}, { x: 1, y: 2 }, "x,1,y,2"],
    ["query list not exploded", "query", { explode: false }, [1, 2], "p=1,2"],
    ["query pipes", "query", { style: "pipeDelimited", explode: false }, [1, 2], "p=1|2"],
    ["query deep object", "query", { style: "deepObject", explode: true }, { a: 1 }, "p%5Ba%5D=1"],
    ["query object", "query", {}, { a: 1, b: "&" }, "a=1&b=%26"],
    ["header", "header", {}, "a b", "a b"],
    ["cookie", "cookie", {}, "x y", "p=x%20y"],
  ])("a suggested value is written as its style asks: %s", (_name, place, style, example, expected) => {
    const path = place === "path" ? "/x/{p}" : "/x";
    const [operation] = operationsOf(
      aDocument({
        paths: {
          [path]: {
            get: {
              parameters: [parameter("p", place, { ...style, schema: {}, example })],
              responses: { 200: { description: "ok" } },
            },
          },
        },
      }),
    );
    expect(operation?.parameters[0]?.sample).toBe(expected);
  });

  test.each([
    ["/v2", "https://api.example.com/v2"],
    ["v2", "https://api.example.com/docs/v2"],
    ["../{x}", "https://api.example.com/{x}"],
    ["https://other.example.com", "https://other.example.com"],
  ])("a relative server %s is resolved by where the document was fetched", (url, expected) => {
    const [operation] = operationsOf(
      aDocument({ servers: [{ url }] }),
      "https://api.example.com/docs/openapi.json",
    );
    expect(operation?.servers).toEqual([expected]);
  });
});
