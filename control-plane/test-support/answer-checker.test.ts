import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AnswerChecker, type ObservedAnswer } from "./answer-checker.ts";
import { createTestApp, type TestApp } from "./app.ts";

const error = { type: "object", properties: { error: { type: "string" } }, required: ["error"] };
const things = {
  type: "object",
  properties: { things: { type: "array", items: { $ref: "#/components/schemas/Thing" } } },
  additionalProperties: false,
};
const json = (schema: object) => ({ content: { "application/json": { schema } } });

const checker = new AnswerChecker({
  components: {
    schemas: {
      Thing: { type: "object", properties: { at: { type: "string", format: "date-time" } } },
      Error: error,
    },
  },
  paths: {
    "/api/things": { get: { responses: { 200: json(things) } } },
    "/api/things/{id}": { get: { responses: { 200: json(things), 303: {} } } },
    "/api/things/newest": { get: { responses: { 200: json({ type: "object", required: ["newest"] }) } } },
  },
});

const answer = (changes: Partial<ObservedAnswer>): ObservedAnswer => ({
  method: "GET",
  path: "/api/things?limit=1",
  status: 200,
  contentType: "application/json; charset=utf-8",
  body: '{"things":[{"at":"2026-06-01T12:00:00.000Z"}]}',
  ...changes,
});

describe("an answer that the document describes", () => {
  it.each<[string, Partial<ObservedAnswer>]>([
    ["as it is", {}],
    ["to HEAD, without a body", { method: "HEAD", body: "", contentType: undefined }],
    ["of a path with a parameter", { path: "/api/things/a%20b" }],
    [
      "of a literal path, which goes before the parameter",
      { path: "/api/things/newest", body: '{"newest":1}' },
    ],
    ["without a body", { path: "/api/things/1", status: 303, body: "", contentType: undefined }],
    ["of an unknown route", { path: "/api/none", status: 404, body: '{"error":"No such route"}' }],
    [
      "that is a page for people, which says that there is none",
      { path: "/no", status: 404, contentType: "text/html" },
    ],
    ["that is a page for people", { path: "/docs/", contentType: "text/html", body: "<html>" }],
  ])("passes %s", (_case, changes) => {
    expect(checker.problemOf(answer(changes))).toBeUndefined();
  });
});

describe("an answer that differs from the document", () => {
  it.each<[string, Partial<ObservedAnswer>, RegExp]>([
    ["in its status", { status: 418 }, /^GET \/api\/things answered 418: .*names no such status$/],
    [
      "in its content type",
      { contentType: "text/plain" },
      /the content type text\/plain instead of application\/json/,
    ],
    ["by a field that is not described", { body: '{"things":[],"more":1}' }, /additional properties.*"more"/],
    [
      "in the form of a value",
      { body: '{"things":[{"at":"yesterday"}]}' },
      /\/things\/0\/at must match format/,
    ],
    ["by a missing field", { path: "/api/things/newest", body: "{}" }, /required property 'newest'/],
    ["by a body that is no JSON", { body: '{"things":[' }, /the body is no JSON/],
    ["by a body where none is described", { path: "/api/things/1", status: 303 }, /does not describe/],
    ["by its route", { path: "/api/none" }, /has no such operation/],
    ["by its method", { method: "POST" }, /has no such operation/],
    [
      "by an error that is no envelope",
      { path: "/api/none", status: 404, body: '{"message":"no"}' },
      /property 'error'/,
    ],
  ])("is reported %s", (_case, changes, problem) => {
    expect(checker.problemOf(answer(changes))).toMatch(problem);
  });
});

describe("a test's request to the service", () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp({
      register: (app) => {
        const reads = { config: { access: "reads" } } as const;
        app.get("/api/locations", reads, async () => ({ locations: [{ id: "loc_a" }] }));
        app.get("/api/checks/:id", reads, async (_request, reply) =>
          reply.code(418).send({ error: "a teapot" }),
        );
        app.get("/api/labels", reads, async () => ({ labels: {} }));
      },
    });
  });
  afterAll(() => test.close());

  it("fails where the answer differs from the service's own document", async () => {
    await expect(test.call("GET", "/api/locations")).rejects.toThrow(
      /GET \/api\/locations answered 200.*\/locations\/0/,
    );
    await expect(test.call("GET", "/api/checks/chk_1")).rejects.toThrow(
      /answered 418: GET \/api\/checks\/\{id\}/,
    );
    expect((await test.call("GET", "/api/labels")).status).toBe(200);
  });
});
