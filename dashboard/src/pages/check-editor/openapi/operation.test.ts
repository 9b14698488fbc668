import { expect, it } from "vitest";
import { withOperation } from "./fill.ts";
import { requestOfOperation } from "./operation.ts";
import { PASTED_CHARACTERS_MAX, valueOfText } from "./read-text.ts";

const PETS = `
servers: [{ url: "https://{region}.pets.example/v1", variables: { region: { default: eu } } }]
paths:
  /pets/{id}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: integer, example: 7 } }
    post:
      parameters:
        - { name: dry run, in: query, required: true, example: true }
        - { name: verbose, in: query, example: 1 }
        - { name: X-Shop, in: header, required: true, schema: { enum: [a, b] } }
        - { name: Authorization, in: header, required: true, example: Bearer x }
      requestBody:
        content:
          text/csv: { example: "a,b" }
          application/json:
            schema: { $ref: "#/components/schemas/Pet" }
      responses:
        "404": { description: none }
        "201": { description: made, content: { application/json: {} } }
components:
  schemas:
    Pet:
      type: object
      required: [name]
      properties:
        name: { type: string, example: Rex }
        kind: { enum: [dog, cat] }
        note: { type: string }
`;

const read = async (text: string, currentUrl = "") => {
  const found = await valueOfText(text);
  return "problem" in found ? found : requestOfOperation(found.value, currentUrl);
};

it("reads method, URL, headers, body and expected status of the one operation of a document, in YAML", async () => {
  expect(await read(PETS)).toEqual({
    request: {
      method: "POST",
      url: "https://eu.pets.example/v1/pets/7?dry+run=true",
      headers: { Accept: "application/json", "Content-Type": "application/json", "X-Shop": "a" },
      body: '{\n  "name": "Rex",\n  "kind": "dog"\n}',
      expectedStatus: 201,
    },
    missing: [],
  });
});

it.each<[string, object, string, object]>([
  [
    "an operation alone leaves method and URL as they are",
    { responses: { 200: {} } },
    "https://shop.example/a",
    {
      request: { expectedStatus: 200 },
      missing: [
        "its path, so that the URL is left as it was",
        "its method, so that the method is left as it was",
      ],
    },
  ],
  [
    "a path without a server goes to the origin of the URL so far",
    { "/a": { get: { responses: { "2XX": {} } } } },
    "https://shop.example/old?x=1",
    { request: { method: "GET", url: "https://shop.example/a", expectedStatus: 200 }, missing: [] },
  ],
  [
    "a server that is a path goes there, too",
    { "/a": { servers: [{ url: "/v2/" }], get: { responses: { 204: {} } } } },
    "https://shop.example/old",
    { request: { method: "GET", url: "https://shop.example/v2/a", expectedStatus: 204 }, missing: [] },
  ],
  [
    "what the text does not say is named",
    {
      "/a/{id}": {
        put: {
          security: [{ bearer: [] }],
          parameters: [{ name: "id", in: "path", required: true }],
          requestBody: { required: true, content: { "application/json": { schema: { type: "object" } } } },
          responses: { default: {} },
        },
      },
    },
    "",
    {
      request: { method: "PUT", url: "/a/{id}" },
      missing: [
        'a value of the path parameter "id"',
        "an example of the body",
        "its server: write the beginning of the URL",
        "credentials, which the operation asks for",
        "the status of a success",
      ],
    },
  ],
  [
    "a GET gets no body, and security that may be left out asks for nothing",
    {
      get: {
        security: [{}, { key: [] }],
        requestBody: { content: { "application/json": { example: {} } } },
        responses: { 200: {} },
      },
    },
    "",
    {
      request: { method: "GET", expectedStatus: 200 },
      missing: ["its path, so that the URL is left as it was"],
    },
  ],
])("%s", (_title, value, currentUrl, expected) => {
  expect(requestOfOperation(value, currentUrl)).toEqual(expected);
});

it.each([
  ["", "Paste an operation first."],
  ["x".repeat(PASTED_CHARACTERS_MAX + 1), "at most 100000 are read"],
  ['{"a": ', "This is neither JSON nor YAML: line 1"],
  ["a: [1\nb: 2", "This is neither JSON nor YAML: line"],
  ["just words", "This is no operation"],
  ["[1, 2]", "This is no operation"],
  ["a: 1", "There is no operation in it"],
  ['{"trace": {"responses": {}}}', "A check can't send TRACE"],
  [
    '{"/a": {"get": {}, "post": {}}, "/b": {"get": {}}}',
    "There are 3 operations in it (GET /a, POST /a, GET /b): paste one of them.",
  ],
  [`a: &a [1]\nb: [${"*a, ".repeat(200)}]`, "The text can't be read: Excessive alias count"],
])("says what is wrong with %.20j", async (text, problem) => {
  expect(await read(text)).toEqual({ problem: expect.stringContaining(problem) });
});

it("ends for what is nested without end, refers to itself, or has thousands of keys", async () => {
  const nested = `{"get": {"responses": {"200": {}}, "requestBody": ${"[".repeat(20_000)}${"]".repeat(20_000)}}}`;
  expect(await read(nested)).toMatchObject({ request: { method: "GET" } });
  expect(await read("[".repeat(50_000))).toMatchObject({ problem: expect.any(String) });
  const looped = {
    "/a": { post: { requestBody: { $ref: "#/~1a/post/requestBody" }, responses: { 200: {} } } },
  };
  expect(requestOfOperation(looped, "")).toMatchObject({ request: { method: "POST" } });
  const wide = Array.from({ length: 9_000 }, (_, n) => `k${n}: 1`).join("\n");
  expect(await read(wide)).toMatchObject({ problem: expect.any(String) });
});

it("fills the draft, keeps what the operation does not say, and replaces the expected status", () => {
  const draft = {
    type: "http" as const,
    name: "Mine",
    httpConfig: {
      url: "https://a.example/",
      headers: { "X-Mine": "1" },
      timeoutMs: 5,
      assertions: [
        { type: "response_time", max: 5 },
        { type: "status_code", value: 200 },
      ],
    },
  };
  expect(withOperation(draft, { method: "PUT", headers: { A: "b" }, expectedStatus: 204 })).toEqual({
    ...draft,
    httpConfig: {
      url: "https://a.example/",
      method: "PUT",
      headers: { "X-Mine": "1", A: "b" },
      timeoutMs: 5,
      assertions: [
        { type: "response_time", max: 5 },
        { type: "status_code", operator: "equals", value: 204 },
      ],
    },
  });
});
