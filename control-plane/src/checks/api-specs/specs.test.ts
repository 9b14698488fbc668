import http from "node:http";
import type { AddressInfo } from "node:net";
import { type Assertion, type Id, newId, type Spec } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { aCheck } from "../../../test-support/builders.ts";
import { registerChangeRoutes } from "../../accounts/change-log/routes.ts";
import { loadChecksFor } from "../../fleet/check-documents.ts";
import { seedHostedLocations } from "../locations/seed.ts";
import { registerCheckRoutes } from "../routes.ts";
import { createSpecTools } from "./document.ts";
import { registerSpecRoutes } from "./routes.ts";

type Team = TestApp["team"];

let test: TestApp;
/** Addresses that the loader dialled. */
const dialled: string[] = [];

beforeAll(async () => {
  test = await createTestApp({
    register: async (app, services) => {
      registerCheckRoutes(app, services, []);
      registerChangeRoutes(app, services);
      const tools = createSpecTools(services.config, {
        connect: ({ host }) => {
          dialled.push(host);
          throw new Error("no packet may leave");
        },
      });
      await registerSpecRoutes(app, services, tools);
    },
  });
  await seedHostedLocations(test.services.knex);
});
afterAll(() => test.close());

const ok = { responses: { 200: { description: "ok" } } };

function aDocument(parts: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    openapi: "3.0.3",
    info: { title: "Pets", version: "1.0" },
    servers: [{ url: "https://pets.example.com/v1" }],
    paths: { "/pets": { get: ok, post: ok } },
    ...parts,
  };
}

let count = 0;
async function createSpec(document: unknown = aDocument(), team = test.team): Promise<Spec> {
  const name = `Spec ${++count}`;
  const content = typeof document === "string" ? document : JSON.stringify(document);
  const { status, body } = await test.call(
    "POST",
    "/api/specs",
    { sourceType: "upload", name, content },
    team.byKey,
  );
  expect([status, body.details]).toEqual([201, undefined]);
  return body.spec;
}

function conformance(specId: string, operationPath = "GET /pets"): Assertion {
  return { type: "openapi_conformance", specId: specId as Id<"spec">, operationPath, validateHeaders: false };
}

function checkUsing(specId: string, overrides = {}) {
  return aCheck({
    httpConfig: { url: "http://127.0.0.1:9/", assertions: [conformance(specId)] },
    ...overrides,
  });
}

/** A loopback server and a loader that may reach it. */
async function withLoader(answer: (request: http.IncomingMessage, response: http.ServerResponse) => void) {
  const server = http.createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const loading = await createTestApp({
    register: async (app, services) => {
      registerCheckRoutes(app, services, []);
      await registerSpecRoutes(app, services);
    },
    settings: { SVC_SPEC_LOADER_PRIVATE: "allow" },
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await loading.close();
  });
  return { test: loading, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/openapi.json` };
}

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

describe("loading from a URL", () => {
  it("private addresses and credentials are refused, and nothing is dialled", async () => {
    for (const [sourceUrl, message] of [
      ["http://127.0.0.1/openapi.json", "SVC_SPEC_LOADER_PRIVATE=allow"],
      ["http://10.0.0.1/openapi.json", "SVC_SPEC_LOADER_PRIVATE=allow"],
      ["http://user:hunter2@example.com/openapi.json", "user name or password"],
      ["http://169.254.169.254/latest", "can't be changed"],
    ]) {
      const { status, body } = await test.call("POST", "/api/specs", { sourceType: "url", sourceUrl });
      expect([status, body.details.fieldErrors.sourceUrl]).toEqual([
        400,
        [expect.stringContaining(message ?? "")],
      ]);
      expect(JSON.stringify(body)).not.toContain("hunter2");
    }
    expect(dialled).toEqual([]);
  });

  it("what the URL serves is stored; relative servers are those of the URL", async () => {
    const { test: loading, url } = await withLoader((_, response) =>
      response.end(JSON.stringify(aDocument({ servers: [{ url: "/v2" }] }))),
    );
    const created = await loading.call("POST", "/api/specs", { sourceType: "url", sourceUrl: url });
    expect(created.body.spec).toMatchObject({ sourceType: "url", sourceUrl: url, operationCount: 2 });
    const { operations } = (await loading.call("GET", `/api/specs/${created.body.spec.id}`)).body;
    expect(operations[0].servers).toEqual([`${new URL(url).origin}/v2`]);
  });

  it("an empty PUT fetches again; another answer than 200 changes nothing", async () => {
    let answer = [200, JSON.stringify(aDocument())] as [number, string];
    const { test: loading, url } = await withLoader((_, response) =>
      response.writeHead(answer[0]).end(answer[1]),
    );
    const { spec } = (await loading.call("POST", "/api/specs", { sourceType: "url", sourceUrl: url })).body;
    answer = [200, JSON.stringify(aDocument({ info: { title: "Pets", version: "2.0" } }))];
    expect((await loading.call("PUT", `/api/specs/${spec.id}`)).body.spec).toMatchObject({ version: "2.0" });
    answer = [503, "later"];
    const refused = await loading.call("PUT", `/api/specs/${spec.id}`, {});
    expect(refused.body.details.fieldErrors.sourceUrl).toEqual([
      "the document could not be loaded: the server answered 503",
    ]);
    expect((await loading.call("GET", `/api/specs/${spec.id}`)).body.spec.version).toBe("2.0");
  });
});

describe("changing", () => {
  it("new content replaces the document, and the checks that use it get a new revision", async () => {
    const { knex } = test.services;
    const spec = await createSpec();
    const using = (await test.call("POST", "/api/checks", checkUsing(spec.id))).body.check;
    const bystander = (await test.call("POST", "/api/checks", aCheck())).body.check;
    const revisionOf = async (id: string) => (await knex("checks").where({ id }).first("revision")).revision;
    const before = [await revisionOf(using.id), await revisionOf(bystander.id)];
    const content = JSON.stringify(aDocument({ paths: { "/pets": { get: ok } } }));
    const changed = await test.call("PUT", `/api/specs/${spec.id}`, { content });
    expect(changed.body.spec).toMatchObject({
      operationCount: 1,
      name: spec.name,
      updatedAt: expect.any(String),
    });
    expect(await revisionOf(using.id)).toBeGreaterThan(before[0]);
    expect(await revisionOf(bystander.id)).toBe(before[1]);
    const settled = await revisionOf(using.id);
    await test.call("PUT", `/api/specs/${spec.id}`, { content });
    expect(await revisionOf(using.id)).toBe(settled);
  });

  it("what was read can be put back, and a name alone renames", async () => {
    const spec = await createSpec();
    expect((await test.call("PUT", `/api/specs/${spec.id}`, spec)).status).toBe(200);
    const renamed = await test.call("PUT", `/api/specs/${spec.id}`, { name: `${spec.name} again` });
    expect(renamed.body.spec).toMatchObject({ name: `${spec.name} again`, sourceType: "upload" });
  });

  it("content together with a URL is refused", async () => {
    const spec = await createSpec();
    const both = { content: "x", sourceUrl: "https://example.com/x" };
    expect((await test.call("PUT", `/api/specs/${spec.id}`, both)).status).toBe(400);
  });
});

describe("deleting", () => {
  it("is refused while an assertion of a browser check's step uses it; such a check is revised and sent the document, too", async () => {
    const spec = await createSpec();
    const bodyUsing = (specId: string) => ({
      name: "Flow",
      type: "browser",
      locations: ["loc_us_east"],
      browserConfig: {
        browserMode: "scripted",
        script: "// @step: Open",
        steps: [{ name: "Open", assertions: [{ type: "openapi_conformance", specId }] }],
      },
    });
    const unknownId = newId("spec");
    const unknown = await test.call("POST", "/api/checks", bodyUsing(unknownId));
    expect(unknown).toMatchObject({ status: 400, body: { error: "Validation failed" } });
    expect(JSON.stringify(unknown.body.details)).toContain(
      `steps[0].assertions[0].specId: there is no spec ${unknownId}`,
    );
    const { check } = (await test.call("POST", "/api/checks", bodyUsing(spec.id))).body;
    const { knex, secrets, log } = test.services;
    const read = async () => {
      const { key, revision } = await knex("checks").where({ id: check.id }).first();
      const sent = (await loadChecksFor({ knex, secrets, log }, [key], undefined)).get(key);
      return { revision, apiSpecs: sent?.apiSpecs.map(({ specId }) => specId) };
    };
    const before = await read();
    expect(before.apiSpecs).toEqual([spec.id]);
    const content = JSON.stringify(aDocument({ paths: { "/pets": { get: ok } } }));
    await test.call("PUT", `/api/specs/${spec.id}`, { content });
    expect((await read()).revision).toBeGreaterThan(before.revision);
    expect((await test.call("DELETE", `/api/specs/${spec.id}`)).status).toBe(409);
    await test.call("DELETE", `/api/checks/${check.id}`);
    expect((await test.call("DELETE", `/api/specs/${spec.id}`)).status).toBe(200);
  });

  it("is refused while an assertion uses it, naming the check; then works once", async () => {
    const spec = await createSpec();
    const { check } = (await test.call("POST", "/api/checks", checkUsing(spec.id, { name: "User" }))).body;
    const refused = await test.call("DELETE", `/api/specs/${spec.id}`);
    expect([refused.status, refused.body.error]).toEqual([
      409,
      `Spec ${spec.name} is used by an assertion of the check "User"`,
    ]);
    await test.call("DELETE", `/api/checks/${check.id}`);
    expect((await test.call("DELETE", `/api/specs/${spec.id}`)).body).toEqual({ success: true });
    expect((await test.call("DELETE", `/api/specs/${spec.id}`)).body).toEqual({ error: "Spec not found" });
  });

  it("and taking into use at once: never a check on a spec that is gone", async () => {
    for (let i = 0; i < 5; i++) {
      const spec = await createSpec();
      const [created, deleted] = await Promise.all([
        test.call("POST", "/api/checks", checkUsing(spec.id)),
        test.call("DELETE", `/api/specs/${spec.id}`),
      ]);
      expect([`201 409`, `400 200`]).toContain(`${created.status} ${deleted.status}`);
    }
  });
});

describe("the change log", () => {
  const entries = async (team: Team) =>
    (await test.call("GET", "/api/changes?type=spec", undefined, team.byKey)).body.changes;

  it("says who stored, changed and deleted a spec, and which fields became what", async () => {
    const team = await test.createTeam();
    const spec = await createSpec(aDocument(), team);
    const call = (method: "PUT" | "DELETE", body?: object) =>
      test.call(method, `/api/specs/${spec.id}`, body, team.bySession);
    const content = JSON.stringify(aDocument({ info: { title: "Pets", version: "2.0" } }));
    await call("PUT", { content });
    await call("PUT", { content });
    await call("DELETE");
    const [deleted, updated, created, ...more] = await entries(team);
    expect(more).toEqual([]);
    const common = { type: "spec", resourceId: spec.id, name: spec.name };
    expect(created).toMatchObject({ ...common, action: "created", source: "api", actor: team.apiKeyId });
    expect(updated).toMatchObject({ ...common, action: "updated", source: "ui", actor: team.userId });
    expect(updated.changedFields.map(({ field }: { field: string }) => field).sort()).toEqual([
      "contentSha256",
      "version",
    ]);
    expect(updated.changedFields).toContainEqual({ field: "version", oldValue: "1.0", newValue: "2.0" });
    expect(deleted).toMatchObject({ ...common, action: "deleted", actor: team.userId });
  });

  it("holds nothing of what was refused", async () => {
    const team = await test.createTeam();
    const [one, two] = [await createSpec(aDocument(), team), await createSpec(aDocument(), team)];
    await test.call("PUT", `/api/specs/${one.id}`, { name: two.name }, team.byKey);
    await test.call(
      "POST",
      "/api/specs",
      { sourceType: "upload", name: one.name, content: "{}" },
      team.byKey,
    );
    expect((await entries(team)).map(({ action }: { action: string }) => action)).toEqual([
      "created",
      "created",
    ]);
  });
});

describe("checks that name a spec", () => {
  it("which the team does not have are refused, on create and on update", async () => {
    const foreign = await createSpec(aDocument(), await test.createTeam());
    for (const specId of [newId("spec"), foreign.id]) {
      const created = await test.call("POST", "/api/checks", checkUsing(specId));
      expect(created.body.details?.fieldErrors).toEqual({
        httpConfig: [`assertions[0].specId: there is no spec ${specId}`],
      });
      const { check } = (await test.call("POST", "/api/checks", aCheck())).body;
      const configJson = { ...check.configJson, assertions: [conformance(specId)] };
      const updated = await test.call("PUT", `/api/checks/${check.id}`, { configJson });
      expect(updated.body.details?.fieldErrors).toEqual({
        configJson: [`assertions[0].specId: there is no spec ${specId}`],
      });
    }
  });
});

it.each([
  ["GET", ""],
  ["PUT", ""],
  ["DELETE", ""],
  ["POST", "/generate-checks"],
] as const)("%s %s of another team's spec is not found", async (method, path) => {
  const spec = await createSpec();
  const other = await test.createTeam();
  const payload =
    method === "POST" ? { locations: ["loc_us_east"] } : method === "PUT" ? { name: "x" } : undefined;
  for (const id of [spec.id, newId("check"), "spec_x"]) {
    const answer = await test.call(method, `/api/specs/${id}${path}`, payload, other.byKey);
    expect([answer.status, answer.body]).toEqual([404, { error: "Spec not found" }]);
  }
});
