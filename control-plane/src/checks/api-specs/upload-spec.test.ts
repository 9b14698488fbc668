import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestApp } from "../../../test-support/app.ts";
import { aDocument, createSpecTest, type SpecTest } from "../../../test-support/specs.ts";

let test: TestApp;
let createSpec: SpecTest["createSpec"];
beforeAll(async () => {
  ({ app: test, createSpec } = await createSpecTest());
});
afterAll(() => test.close());

describe("uploading", () => {
  it("a document is stored and read with its operations; its title is its name", async () => {
    const other = await test.createTeam();
    const created = await test.call(
      "POST",
      "/api/specs",
      { sourceType: "upload", content: JSON.stringify(aDocument()) },
      other.byKey,
    );
    expect(created.status).toBe(201);
    const { spec } = created.body;
    expect(spec).toEqual({
      id: expect.stringMatching(/^spec_/),
      name: "Pets",
      sourceType: "upload",
      sourceUrl: null,
      title: "Pets",
      version: "1.0",
      openapiVersion: "3.0.3",
      operationCount: 2,
      createdAt: expect.any(String),
      updatedAt: null,
    });
    const read = await test.call("GET", `/api/specs/${spec.id}`, undefined, other.byKey);
    expect(read.body.spec).toEqual(spec);
    expect(read.body.operations.map((op: { method: string }) => op.method)).toEqual(["GET", "POST"]);
    expect((await test.call("GET", "/api/specs", undefined, other.byKey)).body.specs).toEqual([spec]);
  });

  it("YAML is taken as well", async () => {
    const spec = await createSpec('openapi: 3.1.0\ninfo: {title: Y, version: "2"}\npaths: {}\n');
    expect(spec).toMatchObject({ title: "Y", version: "2", openapiVersion: "3.1.0", operationCount: 0 });
  });

  it("every problem of a bad document is listed with its place", async () => {
    const content = 'openapi: 3.0.3\ninfo: {title: T}\npaths:\n  /a:\n    get:\n      responses: {"9": {}}\n';
    const { status, body } = await test.call("POST", "/api/specs", { sourceType: "upload", content });
    expect(status).toBe(400);
    expect(body).toEqual({
      error: "Validation failed",
      details: {
        fieldErrors: {
          content: [
            'line 2, column 1, /info: the field "version" is missing',
            'line 6, column 19, /paths/~1a/get/responses/9: unknown field "9"',
          ],
        },
        formErrors: [],
      },
    });
  });

  it("a document beyond the ordinary body limit is taken, one beyond 10 MiB is refused", async () => {
    const large = aDocument({ "x-padding": 'p"'.repeat(2_000_000) });
    expect((await createSpec(large)).operationCount).toBe(2);
    const content = JSON.stringify(aDocument({ "x-padding": "p".repeat(10 * 1024 * 1024) }));
    const refused = await test.call("POST", "/api/specs", { sourceType: "upload", content });
    expect(refused.body.details.fieldErrors.content).toEqual([
      expect.stringContaining("largest is 10485760"),
    ]);
    const tooLarge = await test.call("POST", "/api/specs", {
      sourceType: "upload",
      content: "x".repeat(21 * 1024 * 1024),
    });
    expect(tooLarge.status).toBe(413);
  });

  it.each([
    ["malformed JSON", '{"sourceType":', { formErrors: [expect.stringContaining("not valid JSON")] }],
    [
      "content that is no text",
      { sourceType: "upload", content: 5 },
      { fieldErrors: { content: ["expected a string"] } },
    ],
    ["no content", { sourceType: "upload" }, { fieldErrors: { content: ["required"] } }],
    [
      "an unknown field",
      { sourceType: "upload", content: "x", nmae: "y" },
      { fieldErrors: { nmae: [expect.stringContaining('"name"')] } },
    ],
    ["an empty body", "", { formErrors: [expect.any(String)] }],
  ])("%s is refused in the envelope", async (_what, payload, details) => {
    const headers = { ...test.team.byKey, "content-type": "application/json" };
    const { status, body } = await test.call("POST", "/api/specs", payload, headers);
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: "Validation failed", details });
  });

  it("the service's own description is taken", async () => {
    const own = (await test.call("GET", "/api/openapi.json", undefined, {})).body;
    const spec = await createSpec(own);
    expect(spec.openapiVersion).toBe("3.1.0");
    const { operations } = (await test.call("GET", `/api/specs/${spec.id}`)).body;
    expect(operations.map((op: { method: string; path: string }) => `${op.method} ${op.path}`)).toContain(
      "POST /api/specs/{id}/generate-checks",
    );
  });

  it("a name that is taken is a conflict", async () => {
    const { name } = await createSpec();
    const content = JSON.stringify(aDocument());
    const { status, body } = await test.call("POST", "/api/specs", { sourceType: "upload", content, name });
    expect([status, body.error]).toEqual([
      409,
      `A spec named "${name}" already exists; give this one another name`,
    ]);
  });
});
