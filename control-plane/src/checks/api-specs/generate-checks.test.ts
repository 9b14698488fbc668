import http from "node:http";
import type { AddressInfo } from "node:net";
import { newId } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp, type TestTeam } from "../../../test-support/app.ts";
import { seedHostedLocations } from "../locations/seed.ts";
import { registerCheckRoutes } from "../routes.ts";
import { registerSecretRoutes } from "../team-secrets/routes.ts";
import { registerSpecRoutes } from "./routes.ts";

let test: TestApp;
let served: unknown;
const server = http.createServer((_, response) => response.end(JSON.stringify(served)));

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  test = await createTestApp({
    settings: { SVC_SPEC_LOADER_PRIVATE: "allow" },
    register: async (app, services) => {
      registerCheckRoutes(app, services, []);
      await registerSpecRoutes(app, services);
      registerSecretRoutes(app, services);
    },
  });
  await seedHostedLocations(test.services.knex);
});
afterAll(async () => {
  server.close();
  await test.close();
});

const locations = ["loc_us_east"];
const ok = { responses: { 200: { description: "ok" } } };

function aDocument(paths: Record<string, unknown>, parts: Record<string, unknown> = {}) {
  return {
    openapi: "3.0.3",
    info: { title: "Pets", version: "1.0" },
    servers: [{ url: "https://pets.example.com/v1" }],
    paths,
    ...parts,
  };
}

async function upload(document: unknown, team: TestTeam): Promise<string> {
  const payload = { sourceType: "upload", content: JSON.stringify(document) };
  const { status, body } = await test.call("POST", "/api/specs", payload, team.byKey);
  expect(status).toBe(201);
  return body.spec.id;
}

const generate = (team: TestTeam, body: object) =>
  test.call("POST", "/api/checks/generate", { locations, ...body }, team.byKey);
const checksOf = async (team: TestTeam) =>
  (await test.call("GET", "/api/checks", undefined, team.byKey)).body.checks;
const manyPaths = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`/p${i}`, { get: ok }]));

/** The fields of a check's answer that the tests look at. */
interface StoredCheck {
  name: string;
  configJson: { url: unknown; headers: unknown; auth: unknown };
}

describe("generation with credentials", () => {
  const SCHEMES = {
    header: { type: "apiKey", in: "header", name: "X-Key" },
    query: { type: "apiKey", in: "query", name: "api key" },
    cookie: { type: "apiKey", in: "cookie", name: "sid" },
    token: { type: "http", scheme: "Bearer" },
    login: { type: "oauth2", flows: {} },
    basic: { type: "http", scheme: "basic" },
    linked: { $ref: "#/components/securitySchemes/header" },
    mutual: { type: "mutualTLS" },
  };
  const needing = (...sets: string[][]) => ({
    get: { ...ok, security: sets.map((names) => Object.fromEntries(names.map((name) => [name, []]))) },
  });

  it("sends each as the document says, and holds no value: checks refer to the team's secrets", async () => {
    const team = await test.createTeam();
    for (const name of ["KEY", "SHOP_USER", "SHOP_PASSWORD"])
      await test.call("POST", "/api/secrets", { name, value: `value of ${name}` }, team.byKey);
    const specId = await upload(
      aDocument(
        {
          "/header": needing(["header"]),
          "/linked": needing(["linked"]),
          "/query": needing(["query"]),
          "/both": needing(["token", "cookie"]),
          "/login": needing(["mutual"], ["login"]),
          "/basic": needing(["basic"]),
          "/other": needing(["unnamed"]),
          "/mutual": needing(["mutual", "header"]),
        },
        {
          openapi: "3.1.0",
          components: {
            securitySchemes: {
              ...SCHEMES,
              unnamed: { type: "openIdConnect", openIdConnectUrl: "https://e.org" },
            },
          },
        },
      ),
      team,
    );
    const { status, body } = await test.call(
      "POST",
      `/api/specs/${specId}/generate-checks`,
      {
        locations,
        credentials: {
          ...Object.fromEntries(
            ["header", "linked", "query", "cookie", "token", "login"].map((name) => [name, "KEY"]),
          ),
          basic: { username: "SHOP_USER", password: "SHOP_PASSWORD" },
        },
      },
      team.byKey,
    );
    expect([status, body.error, body.warnings]).toEqual([201, undefined, []]);
    const stored = (await test.call("GET", "/api/checks?limit=200", undefined, team.byKey)).body.checks;
    const requests = Object.fromEntries(
      stored.map(({ name, configJson: { url, headers, auth } }: StoredCheck) => [
        name,
        { url, headers, auth },
      ]),
    );
    expect(JSON.stringify(stored)).not.toContain("value of");
    expect(requests).toMatchObject({
      "GET /header": { headers: { "X-Key": expect.any(String) } },
      "GET /linked": { headers: { "X-Key": expect.any(String) } },
      "GET /query": { url: expect.stringMatching(/^https:\/\/pets\.example\.com\/v1\/query\?api%20key=/) },
      "GET /both": { headers: { Cookie: expect.any(String) }, auth: { type: "bearer" } },
      "GET /login": { auth: { type: "bearer" } },
      "GET /basic": { auth: { type: "basic" } },
    });
    expect(body.skipped).toEqual([
      { operation: "GET /other", reason: "needs credentials (unnamed)" },
      { operation: "GET /mutual", reason: "needs credentials (mutual + header)" },
    ]);
  });

  it.each([
    ["mutual", "KEY", "schemes of type mutualTLS are not known"],
    ["basic", "KEY", "HTTP Basic takes username and password, with a secret each"],
    [
      "header",
      { username: "KEY", password: "KEY" },
      "it takes the name of one secret, not username and password",
    ],
  ])("what can't be sent is said: %s with %j", async (name, secret, why) => {
    const team = await test.createTeam();
    await test.call("POST", "/api/secrets", { name: "KEY", value: "a value" }, team.byKey);
    const specId = await upload(
      aDocument({ "/p": needing([name]) }, { openapi: "3.1.0", components: { securitySchemes: SCHEMES } }),
      team,
    );
    const { body } = await generate(team, {
      spec: { source: "id", specId },
      credentials: { [name]: secret },
    });
    expect([body.created, body.skipped]).toEqual([
      [],
      [{ operation: "GET /p", reason: `the credential of "${name}" can't be sent: ${why}` }],
    ]);
  });

  it("a document can't choose which secrets go to the servers that it names", async () => {
    const team = await test.createTeam();
    for (const name of ["MINE", "OTHER"])
      await test.call("POST", "/api/secrets", { name, value: "a value" }, team.byKey);
    const sly = (name: string) => ({ type: "apiKey", in: "cookie", name });
    const example = {
      name: "X-A",
      in: "header",
      required: true,
      schema: { type: "string" },
      example: "{{vault.OTHER}}",
    };
    const specId = await upload(
      aDocument(
        {
          "/cookie": needing(["cookie"]),
          "/pair": needing(["pair"]),
          "/header": { get: { ...ok, parameters: [example] } },
          "/twice": needing(["token", "login"]),
        },
        {
          components: {
            securitySchemes: {
              ...SCHEMES,
              cookie: sly("a={{vault.OTHER}}; b"),
              pair: sly("a=1; b"),
              mutual: undefined,
            },
          },
        },
      ),
      team,
    );
    const credentials = { cookie: "MINE", pair: "MINE", token: "MINE", login: "MINE" };
    const { body } = await generate(team, { spec: { source: "id", specId }, credentials });
    const refers = "the document refers to secrets by {{vault.NAME}}, which only the request may";
    expect([body.created, body.skipped.map(({ reason }: { reason: string }) => reason)]).toEqual([
      [],
      [
        refers,
        `the credential of "pair" can't be sent: "a=1; b" can't be the name of a header or cookie`,
        refers,
        `the credential of "login" can't be sent: another credential is sent as Authorization already`,
      ],
    ]);
  });

  it("a secret that the team does not have is refused, and nothing is created", async () => {
    const team = await test.createTeam();
    const specId = await upload(
      aDocument(
        { "/p": needing(["header"]), "/open": { get: ok } },
        { components: { securitySchemes: { header: SCHEMES.header } } },
      ),
      team,
    );
    const { status, body } = await generate(team, {
      spec: { source: "id", specId },
      credentials: { header: "NOT_THERE" },
    });
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining("NOT_THERE")]);
    expect(await checksOf(team)).toEqual([]);
  });

  it("a spec that an earlier version stored says that it has to be read again", async () => {
    const team = await test.createTeam();
    const specId = await upload(
      aDocument(
        { "/p": needing(["header"]) },
        { components: { securitySchemes: { header: SCHEMES.header } } },
      ),
      team,
    );
    await test.services.knex.raw(
      "UPDATE api_specs SET operations = regexp_replace(operations::text, ',\\s*\"schemes\":\\s*\\[[^]]*\\]', '')::json WHERE id = ?",
      [specId],
    );
    const { body } = await generate(team, { spec: { source: "id", specId }, credentials: { header: "KEY" } });
    expect(body.skipped).toEqual([
      {
        operation: "GET /p",
        reason: "needs credentials (header); upload or fetch the spec again, which tells how they are sent",
      },
    ]);
  });

  it("warns of checks that change something at each run", async () => {
    const team = await test.createTeam();
    const post = {
      ...ok,
      requestBody: { required: true, content: { "application/json": { example: { name: "Rex" } } } },
    };
    const specId = await upload(aDocument({ "/pets": { get: ok, post, delete: ok } }), team);
    const { body } = await generate(team, {
      spec: { source: "id", specId },
      methods: ["GET", "POST", "DELETE"],
    });
    expect(body.warnings).toEqual([
      "2 checks send DELETE, POST: each run, at each location, changes what the API holds",
    ]);
    expect(
      body.created.map(({ configJson }: { configJson: { method: string } }) => configJson.method),
    ).toContain("POST");
  });
});

describe("generation", () => {
  it("makes a check of each safe operation that the document says how to call, and says why not of the others", async () => {
    const team = await test.createTeam();
    const id = { name: "id", in: "path", required: true };
    const specId = await upload(
      aDocument(
        {
          "/pets": { get: ok, post: ok },
          "/pets/{id}": {
            parameters: [{ ...id, schema: { type: "integer", enum: [7, 8] } }],
            get: {
              parameters: [
                { name: "fields", in: "query", required: true, schema: { type: "string", default: "a b" } },
                { name: "page", in: "query", schema: { type: "integer", default: 1 } },
                { name: "X-Tenant", in: "header", required: true, schema: { type: "string" }, example: "t1" },
              ],
              responses: { 200: { description: "" }, 206: { description: "" } },
            },
          },
          "/toys/{id}": { get: { parameters: [{ ...id, schema: { type: "string" } }], ...ok } },
          "/find": { get: { parameters: [{ name: "q", in: "query", required: true, schema: {} }], ...ok } },
          "/mine": { get: { security: [{ key: [] }], ...ok } },
          "/open": { get: { security: [{}, { key: [] }], ...ok } },
          "/away": { get: { responses: { 302: { description: "" } } } },
          "/old": { head: { servers: [{ url: "/relative" }], ...ok } },
          "/trace": { trace: ok },
        },
        { components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "k" } } } },
      ),
      team,
    );
    const { status, body } = await test.call(
      "POST",
      `/api/specs/${specId}/generate-checks`,
      { locations, frequencySeconds: 60, validateHeaders: true },
      team.byKey,
    );
    expect(status).toBe(201);
    expect(body).toMatchObject({ mode: "spec", specId });
    const conformance = (operationPath: string) => ({
      type: "openapi_conformance",
      specId,
      operationPath,
      validateHeaders: true,
    });
    const summary = body.created.map(
      ({ name, configJson, frequencySeconds }: Record<string, Record<string, unknown>>) => [
        name,
        configJson?.url,
        configJson?.headers,
        configJson?.assertions,
        frequencySeconds,
      ],
    );
    expect(summary).toEqual([
      [
        "GET /pets",
        "https://pets.example.com/v1/pets",
        undefined,
        [{ type: "status_code", operator: "equals", value: 200 }, conformance("GET /pets")],
        60,
      ],
      [
        "GET /pets/{id}",
        "https://pets.example.com/v1/pets/7?fields=a%20b",
        { "X-Tenant": "t1" },
        [{ type: "status_code", operator: "less_than", value: 300 }, conformance("GET /pets/{id}")],
        60,
      ],
      ["GET /open", "https://pets.example.com/v1/open", undefined, expect.anything(), 60],
      [
        "GET /away",
        "https://pets.example.com/v1/away",
        undefined,
        [{ type: "status_code", operator: "equals", value: 302 }, conformance("GET /away")],
        60,
      ],
    ]);
    expect(body.created[3].configJson.followRedirects).toBe(false);
    expect(body.skipped).toEqual([
      { operation: "POST /pets", reason: "POST is not among the methods to generate for (GET, HEAD)" },
      {
        operation: "GET /toys/{id}",
        reason: 'the path parameter "id" has no example, default or enum in the document',
      },
      {
        operation: "GET /find",
        reason: 'the query parameter "q" has no example, default or enum in the document',
      },
      { operation: "GET /mine", reason: "needs credentials (key)" },
      { operation: "HEAD /old", reason: "its server has no full address: /relative" },
      { operation: "TRACE /trace", reason: "HTTP checks don't send TRACE" },
    ]);
  });

  it("run twice, and twice at once, creates nothing new", async () => {
    const team = await test.createTeam();
    const specId = await upload(aDocument(manyPaths(5)), team);
    const body = { spec: { source: "id", specId } };
    const answers = await Promise.all([generate(team, body), generate(team, body), generate(team, body)]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(answers.map((answer) => answer.body.created.length).sort()).toEqual([0, 0, 5]);
    const again = (await generate(team, body)).body;
    expect(again.created).toEqual([]);
    expect(again.skipped[0]).toEqual({
      operation: "GET /p0",
      reason: expect.stringMatching(/^has a check already: chk_/),
    });
    expect(await checksOf(team)).toHaveLength(5);
  });

  it("of 50 new operations needs no confirmation, of 51 it does; what exists does not count", async () => {
    const team = await test.createTeam();
    const specId = await upload(aDocument(manyPaths(51)), team);
    const spec = { source: "name", name: "Pets" };
    const refused = await generate(team, { spec });
    expect([refused.status, refused.body.newOperations]).toEqual([409, 51]);
    expect(refused.body.error).toContain("set confirm to true");
    expect(await checksOf(team)).toEqual([]);
    expect((await generate(team, { spec, confirm: true })).body.created).toHaveLength(51);
    const content = JSON.stringify(aDocument(manyPaths(101)));
    expect((await test.call("PUT", `/api/specs/${specId}`, { content }, team.byKey)).status).toBe(200);
    expect((await generate(team, { spec })).body.created).toHaveLength(50);
  });

  it("is all or nothing: beyond the plan no check is left behind", async () => {
    const team = await test.createTeam("free");
    const specId = await upload(aDocument(manyPaths(11)), team);
    const { status, body } = await generate(team, { spec: { source: "id", specId } });
    expect([status, typeof body.error]).toEqual([403, "string"]);
    expect(await checksOf(team)).toEqual([]);
  });

  it("from a URL stores the spec once and refreshes it afterwards", async () => {
    const team = await test.createTeam();
    const specUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/openapi.json`;
    served = aDocument(manyPaths(60));
    const body = { spec: { source: "url", specUrl, name: "From afar" } };
    expect((await generate(team, body)).status).toBe(409);
    const specs = async () => (await test.call("GET", "/api/specs", undefined, team.byKey)).body.specs;
    // Refused without confirmation, so nothing at all was stored.
    expect(await specs()).toEqual([]);
    served = aDocument(manyPaths(2));
    expect((await generate(team, body)).body.created).toHaveLength(2);
    served = aDocument(manyPaths(3));
    expect((await generate(team, body)).body.created).toHaveLength(1);
    expect(await specs()).toMatchObject([{ name: "From afar", sourceUrl: specUrl, operationCount: 3 }]);
  });

  it("from a URL under a name that another spec has is a conflict", async () => {
    const team = await test.createTeam();
    await upload(aDocument(manyPaths(1)), team);
    const specUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/other.json`;
    served = aDocument(manyPaths(2));
    const { status, body } = await generate(team, { spec: { source: "url", specUrl } });
    expect([status, body]).toEqual([
      409,
      { error: 'A spec named "Pets" already exists; give this one another name' },
    ]);
    expect(await checksOf(team)).toEqual([]);
  });

  it("with other methods takes bodies from examples", async () => {
    const team = await test.createTeam();
    const content = { "application/json": { example: { name: "Rex" } } };
    const specId = await upload(
      aDocument({
        "/pets": { post: { requestBody: { required: true, content }, ...ok } },
        "/toys": { post: { requestBody: { required: true, content: { "application/json": {} } }, ...ok } },
      }),
      team,
    );
    const { body } = await generate(team, { spec: { source: "id", specId }, methods: ["POST"] });
    expect(body.created[0].configJson).toMatchObject({
      method: "POST",
      body: '{"name":"Rex"}',
      headers: { "Content-Type": "application/json" },
    });
    expect(body.skipped).toEqual([
      { operation: "POST /toys", reason: "the required body has no example in the document" },
    ]);
  });

  it.each([[{ source: "id", specId: newId("spec") }], [{ source: "name", name: "No such spec" }]])(
    "from %j is not found",
    async (spec) => {
      expect(await generate(test.team, { spec })).toMatchObject({
        status: 404,
        body: { error: "Spec not found" },
      });
    },
  );

  it("with an unknown location creates nothing", async () => {
    const team = await test.createTeam();
    const specId = await upload(aDocument(manyPaths(2)), team);
    const answer = await generate(team, { spec: { source: "id", specId }, locations: ["loc_nowhere"] });
    expect(answer.status).toBe(400);
    expect(await checksOf(team)).toEqual([]);
  });
});

describe("script mode", () => {
  const ask = (payload: object) => test.call("POST", "/api/checks/generate", payload);

  it("is not available until a model is configured", async () => {
    const { status, body } = await ask({ description: "Log in and look at the invoices" });
    expect([status, body]).toEqual([
      503,
      {
        error: expect.stringMatching(
          /^Natural-language creation is not configured on this server; .*SVC_LLM_PROVIDER/,
        ),
      },
    ]);
  });

  it("validates its body all the same", async () => {
    const { status, body } = await ask({ description: "short", targetUrl: "nowhere" });
    expect(status).toBe(400);
    expect(Object.keys(body.details.fieldErrors)).toEqual(["description", "targetUrl"]);
  });
});
