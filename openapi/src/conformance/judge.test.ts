import { describe, expect, test } from "vitest";
import { aDocument } from "../../test-support/documents.ts";
import type { OpenApiLine } from "../document/validate.ts";
import type { ResponseToJudge } from "./conformance-result.ts";
import { ConformanceJudge } from "./judge.ts";

/** A document whose GET /x answers 200 with JSON of this schema. */
function withSchema(schema: unknown, line: OpenApiLine, components: object = {}): Record<string, unknown> {
  return aDocument({
    openapi: `${line}.0`,
    paths: {
      "/x": {
        get: { responses: { 200: { description: "ok", content: { "application/json": { schema } } } } },
      },
    },
    components,
  });
}

function conformanceOf(document: Record<string, unknown>, response: Partial<ResponseToJudge> = {}) {
  const judge = new ConformanceJudge(document, String(document.openapi).slice(0, 3) as OpenApiLine);
  const whole: ResponseToJudge = {
    method: "GET",
    url: "https://api.example.com/x",
    status: 200,
    headers: {},
    bodyText: "{}",
    contentType: "application/json",
    validateHeaders: false,
    ...response,
  };
  return judge.judge(whole, judge.prepare(whole));
}

function problemsOf(...args: Parameters<typeof conformanceOf>): string[] {
  return conformanceOf(...args).problems;
}

describe("the operation is found by method and URL", () => {
  const responses = { 200: { description: "ok" } };
  const get = { get: { responses } };
  const document = aDocument({
    servers: [
      { url: "https://api.example.com/v1" },
      { url: "/{stage}/api", variables: { stage: { default: "test" } } },
    ],
    paths: {
      "/": get,
      "/pets": get,
      "/pets/{id}": { get: { responses }, delete: { responses } },
      "/pets/mine": get,
      "/pets/{id}.json": get,
      "/{kind}/mine": get,
      "/own": { get: { servers: [{ url: "https://own.example.com" }], responses } },
      "/a b/{x}": get,
    },
  });
  test.each([
    ["GET", "https://api.example.com/v1/pets", "GET /pets"],
    ["GET", "https://staging.example.org/v1/pets?limit=3", "GET /pets"],
    ["GET", "https://api.example.com/v1/pets/", "GET /pets"],
    ["GET", "https://api.example.com/v1", "GET /"],
    ["GET", "https://api.example.com/v1/pets/7", "GET /pets/{id}"],
    ["DELETE", "https://api.example.com/v1/pets/7", "DELETE /pets/{id}"],
    ["GET", "https://api.example.com/v1/pets/mine", "GET /pets/mine"],
    ["GET", "https://api.example.com/v1/pets/7.json", "GET /pets/{id}.json"],
    ["GET", "https://api.example.com/v1/cats/mine", "GET /{kind}/mine"],
    ["GET", "https://api.example.com/prod/api/pets/a%2Fb", "GET /pets/{id}"],
    ["GET", "https://own.example.com/own", "GET /own"],
    ["GET", "https://api.example.com/v1/a%20b/1", "GET /a b/{x}"],
    ["HEAD", "https://api.example.com/v1/pets", "GET /pets"],
  ])("%s %s is %s", (method, url, operation) => {
    expect(conformanceOf(document, { method, url })).toMatchObject({ operation, conforms: true });
  });

  test.each([
    [
      "GET",
      "https://api.example.com/v2/pets",
      "no operation of the document matches GET /v2/pets; set operationPath",
    ],
    [
      "POST",
      "https://api.example.com/v1/pets",
      "no operation of the document matches POST /v1/pets; set operationPath",
    ],
    ["GET", "https://api.example.com/v1/pets/7/toys", expect.stringContaining("no operation")],
  ])("%s %s is none", (method, url, problem) => {
    expect(problemsOf(document, { method, url })).toEqual([problem]);
  });

  test("a named operation is used wherever the request went; names of parameters don't matter", () => {
    const url = "https://elsewhere.example.com/7";
    expect(conformanceOf(document, { url, operationPath: "GET /pets/{id}" }).operation).toBe(
      "GET /pets/{id}",
    );
    expect(conformanceOf(document, { url, operationPath: "GET /pets/{petId}" }).operation).toBe(
      "GET /pets/{id}",
    );
    expect(problemsOf(document, { url, operationPath: "GET /cats" })).toEqual([
      "the document has no operation GET /cats",
    ]);
  });
});

describe("status", () => {
  const document = aDocument({
    paths: {
      "/x": { get: { responses: { 200: { description: "" }, "4XX": { description: "" } } } },
      "/any": { get: { responses: { default: { description: "" } } } },
    },
  });
  test.each([
    [200, []],
    [404, []],
    [201, ["status 201 is not described; GET /x describes 200, 4XX"]],
    [500, ["status 500 is not described; GET /x describes 200, 4XX"]],
  ])("%i", (status, problems) => {
    expect(problemsOf(document, { status })).toEqual(problems);
  });
  test("default covers every other status", () => {
    expect(problemsOf(document, { url: "https://a.example/any", status: 503 })).toEqual([]);
  });
});

describe("content type", () => {
  const document = aDocument({
    paths: {
      "/x": {
        get: {
          responses: {
            200: {
              description: "",
              content: {
                "application/json; charset=utf-8": { schema: { type: "object" } },
                "text/*": { schema: { type: "string", maxLength: 3 } },
                "application/xml": { schema: { type: "object" } },
              },
            },
            204: { description: "", content: { "application/json": {} } },
          },
        },
      },
    },
  });
  const described = "described for 200: application/json; charset=utf-8, text/*, application/xml";
  test.each([
    ["application/json", "{}", []],
    ["Application/JSON;charset=UTF-8", "{}", []],
    ["application/json", "[]", ["body must be object"]],
    ["application/json", "{", [expect.stringMatching(/^body is not valid JSON: /)]],
    ["text/csv", "a,b", []],
    ["text/csv", "a,b,c", ["body must NOT have more than 3 characters"]],
    ["application/xml", "<a/>", []],
    ["image/png", "", [`content type image/png is not described; ${described}`]],
    [undefined, "", [`no content type; ${described}`]],
    ["nonsense", "", [`content type "nonsense" is malformed; ${described}`]],
  ])("%s %s", (contentType, bodyText, problems) => {
    expect(problemsOf(document, { contentType, bodyText })).toEqual(problems);
  });
  test("no content is expected of HEAD and 204", () => {
    expect(problemsOf(document, { method: "HEAD", contentType: undefined, bodyText: "" })).toEqual([]);
    expect(problemsOf(document, { status: 204, contentType: undefined, bodyText: "" })).toEqual([]);
  });
});

describe("bodies of 3.0", () => {
  test.each([
    ["nullable type", { type: "string", nullable: true }, "null", true],
    ["no null without nullable", { type: "string" }, "null", false],
    ["nullable enum", { type: "string", nullable: true, enum: ["a"] }, "null", true],
    ["nullable reference", { allOf: [{ $ref: "#/components/schemas/Pet" }], nullable: true }, "null", true],
    ["exclusive bound met", { type: "number", minimum: 1, exclusiveMinimum: true }, "1", false],
    ["exclusive bound passed", { type: "number", minimum: 1, exclusiveMinimum: true }, "1.1", true],
    ["bound that is not exclusive", { type: "number", maximum: 1, exclusiveMaximum: false }, "1", true],
    ["format", { type: "string", format: "date-time" }, '"yesterday"', false],
    ["unknown format", { type: "string", format: "mystery" }, '"x"', true],
    ["write-only is not required", { $ref: "#/components/schemas/Login" }, '{"name":"n"}', true],
    ["read-only is required", { $ref: "#/components/schemas/Login" }, "{}", false],
    [
      "recursive schema",
      { $ref: "#/components/schemas/Tree" },
      '{"children":[{"children":[{"children":1}]}]}',
      false,
    ],
    [
      "discriminator names the schema",
      { $ref: "#/components/schemas/Any" },
      '{"kind":"Cat","lives":9}',
      true,
    ],
    [
      "discriminator's alternative is broken",
      { $ref: "#/components/schemas/Any" },
      '{"kind":"Cat","lives":"x"}',
      false,
    ],
    ["discriminator by mapping", { $ref: "#/components/schemas/Any" }, '{"kind":"hound","lives":"x"}', true],
    ["discriminator of nobody", { $ref: "#/components/schemas/Any" }, '{"kind":"Bird"}', false],
    ["additional property", { type: "object", additionalProperties: false }, '{"a":1}', false],
    ["pattern of another language", { type: "string", pattern: "(?i)x" }, '"y"', true],
  ])("%s", (_name, schema, bodyText, conforms) => {
    const document = withSchema(schema, "3.0", {
      schemas: {
        Pet: { type: "object" },
        Login: {
          type: "object",
          required: ["name", "password"],
          properties: {
            name: { type: "string", readOnly: true },
            password: { type: "string", writeOnly: true },
          },
        },
        Tree: {
          type: "object",
          properties: { children: { type: "array", items: { $ref: "#/components/schemas/Tree" } } },
        },
        Any: {
          oneOf: [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }],
          discriminator: { propertyName: "kind", mapping: { hound: "#/components/schemas/Dog" } },
        },
        Cat: { type: "object", properties: { kind: {}, lives: { type: "integer" } } },
        Dog: { type: "object", properties: { kind: {} } },
      },
    });
    expect(conformanceOf(document, { bodyText }).conforms).toBe(conforms);
  });
});

describe("bodies of 3.1", () => {
  test.each([
    ["list of types", { type: ["string", "null"] }, "null", true],
    ["const", { const: 5 }, "6", false],
    ["exclusive bound", { exclusiveMinimum: 1 }, "1", false],
    ["beside a reference", { $ref: "#/components/schemas/Pet", required: ["id"] }, "{}", false],
    ["prefixItems", { prefixItems: [{ type: "string" }], items: false }, '["a", 1]', false],
    [
      "unevaluated properties",
      { $ref: "#/components/schemas/Pet", unevaluatedProperties: false },
      '{"x":1}',
      false,
    ],
    ["anchor", { $ref: "#pet" }, '{"id":"x"}', false],
    ["schema false", false, "{}", false],
  ])("%s", (_name, schema, bodyText, conforms) => {
    const document = withSchema(schema, "3.1", {
      schemas: { Pet: { $anchor: "pet", type: "object", properties: { id: { type: "integer" } } } },
    });
    expect(conformanceOf(document, { bodyText }).conforms).toBe(conforms);
  });
});

test("problems name the place in the body and are bounded", () => {
  const schema = {
    type: "array",
    items: { type: "object", required: ["id"], properties: { id: { type: "integer" } } },
  };
  const document = withSchema(schema, "3.0");
  expect(problemsOf(document, { bodyText: '[{"id":"a"},{}]' })).toEqual([
    "body /0/id must be integer",
    "body /1 must have required property 'id'",
  ]);
  const problems = problemsOf(document, { bodyText: JSON.stringify(Array(100).fill(1)) });
  expect(problems).toHaveLength(21);
  expect(problems.at(-1)).toBe("and 80 more");
});

test("a schema that can't be compiled is said to be so, and is no crash", () => {
  expect(problemsOf(withSchema({ enum: [] }, "3.1"))).toEqual([expect.stringContaining("can't be used")]);
});

describe("headers", () => {
  const document = aDocument({
    paths: {
      "/x": {
        get: {
          responses: {
            200: {
              description: "",
              headers: {
                "X-Limit": { required: true, schema: { type: "integer" } },
                "X-List": { schema: { type: "array", items: { type: "integer" } } },
                "X-Json": { content: { "application/json": { schema: { type: "object" } } } },
                "Content-Type": { required: true, schema: { type: "integer" } },
                "X-Ref": { $ref: "#/components/headers/Flag" },
              },
            },
          },
        },
      },
    },
    components: { headers: { Flag: { schema: { type: "boolean" } } } },
  });
  test.each([
    [{ "x-limit": "5" }, []],
    [{}, ["header X-Limit is missing"]],
    [{ "x-limit": "many" }, ["header X-Limit must be integer"]],
    [{ "x-limit": "5", "x-list": "1, 2,x" }, ["header X-List /2 must be integer"]],
    [{ "x-limit": "5", "x-json": "{" }, ["header X-Json is not valid JSON"]],
    [{ "x-limit": "5", "x-json": "[]" }, ["header X-Json must be object"]],
    [{ "x-limit": "5", "x-ref": "yes" }, ["header X-Ref must be boolean"]],
  ])("%j", (headers, problems) => {
    expect(
      problemsOf(document, { headers: headers as Record<string, string>, validateHeaders: true }),
    ).toEqual(problems);
  });
  test("are left alone unless asked for", () => {
    expect(problemsOf(document, { headers: {} })).toEqual([]);
  });
});
