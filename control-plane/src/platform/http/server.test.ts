import { createCheckSchema, DomainError } from "@svc/contract";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { signDispatchToken } from "../../accounts/identity/dispatch-token.ts";
import { hashToken, keyPrefixOf, newKey } from "../../accounts/identity/tokens.ts";
import type { ApiApp } from "./api.ts";

let test: TestApp;
let failure: Error = new Error("a secret detail");

function registerTestRoutes(app: ApiApp): void {
  app.get("/api/mine", async (request) => ({ caller: request.caller }));
  app.post("/api/checked", { schema: { body: createCheckSchema } }, async (request) => request.body);
  app.post("/api/bodyless", async () => ({ ok: true }));
  app.get(
    "/api/paged/:id",
    {
      schema: {
        params: z.object({ id: z.string().startsWith("chk_", "expected an id of the form chk_...") }),
        querystring: z.object({ limit: z.coerce.number().max(200, "largest is 200").default(50) }),
      },
    },
    async (request) => ({ id: request.params.id, limit: request.query.limit }),
  );
  app.get("/api/session-only", { config: { access: "session" } }, async (request) => ({
    caller: request.caller,
  }));
  app.post("/api/session-change", { config: { access: "session" } }, async () => ({ ok: true }));
  app.post("/api/lifecycle", { config: { access: "incident_session" } }, async () => ({ ok: true }));
  app.post("/api/runner-only", { config: { access: "runner" } }, async (request) => request.runnerCaller);
  app.get("/api/fails", async () => {
    throw failure;
  });
}

beforeAll(async () => {
  test = await createTestApp({ register: registerTestRoutes });
});
afterAll(() => test.close());

describe("validation", () => {
  const validBody = {
    name: "a",
    type: "http",
    locations: ["loc_us_east"],
    httpConfig: { url: "http://127.0.0.1/" },
  };

  it("everything wrong with a body comes at once, by field", async () => {
    const answer = await test.call("POST", "/api/checked", {
      ...validBody,
      name: "",
      frequencySeconds: 9,
      locatoins: [],
    });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      error: "Validation failed",
      details: {
        fieldErrors: {
          name: ["a name has at least 1 character"],
          frequencySeconds: ["smallest is 10"],
          locatoins: ['unknown field "locatoins"; did you mean "locations"?'],
        },
        formErrors: [],
      },
    });
  });

  it.each([
    ["malformed JSON", '{"name": ', /not valid JSON/],
    ["a forbidden key", '{"__proto__": {}}', /not valid JSON/],
    ["an array", "[]", /expected an object/],
    ["null", "null", /required/],
    ["nothing", "", /required/],
  ])("%s as the body is a 400 that says so in formErrors", async (_name, payload, message) => {
    const answer = await test.call("POST", "/api/checked", payload, {
      ...test.team.byKey,
      "content-type": "application/json",
    });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      error: "Validation failed",
      details: { fieldErrors: {}, formErrors: [expect.stringMatching(message)] },
    });
  });

  it.each([
    ["a NUL character", '{"name": "a\\u0000"}'],
    ["half a surrogate pair", '{"name": "\\ud800"}'],
  ])("%s in a text is a 400 that names its field", async (_name, payload) => {
    const headers = { ...test.team.byKey, "content-type": "application/json" };
    const answer = await test.call("POST", "/api/checked", payload, headers);
    expect([answer.status, Object.keys(answer.body.details.fieldErrors)]).toEqual([400, ["name"]]);
  });

  it("a whole surrogate pair written as escapes passes", async () => {
    const payload = JSON.stringify({ ...validBody, name: "x" }).replace('"x"', '"\\ud83d\\ude00"');
    const headers = { ...test.team.byKey, "content-type": "application/json" };
    const answer = await test.call("POST", "/api/checked", payload, headers);
    expect([answer.status, answer.body.name]).toEqual([200, "😀"]);
  });

  it("an empty body with a JSON content type is no body", async () => {
    const headers = { ...test.team.byKey, "content-type": "application/json" };
    expect((await test.call("POST", "/api/bodyless", "", headers)).status).toBe(200);
  });

  it("query and path are validated like bodies", async () => {
    const query = await test.call("GET", "/api/paged/chk_1?limit=201");
    expect([query.status, query.body.details.fieldErrors]).toEqual([400, { limit: ["largest is 200"] }]);
    const path = await test.call("GET", "/api/paged/run_1");
    expect([path.status, path.body.details.fieldErrors]).toEqual([
      400,
      { id: ["expected an id of the form chk_..."] },
    ]);
  });

  it("an unknown query parameter is 400 that names the nearest known one", async () => {
    const answer = await test.call("GET", "/api/paged/chk_1?limt=5");
    expect([answer.status, answer.body.details.fieldErrors]).toEqual([
      400,
      { limt: ['unknown field "limt"; did you mean "limit"?'] },
    ]);
  });

  it("another content type is 415, in the envelope", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/xml"]) {
      const answer = await test.call("POST", "/api/checked", "a=1", {
        ...test.team.byKey,
        "content-type": type,
      });
      expect([answer.status, answer.body]).toEqual([
        415,
        { error: "Unsupported content type; send application/json" },
      ]);
    }
  });

  it("a body of 1 MiB passes the size check, one byte more is 413", async () => {
    const frame = JSON.stringify({ name: "" }).length;
    const sizes = [1024 * 1024, 1024 * 1024 + 1];
    const statuses = [];
    for (const size of sizes)
      statuses.push((await test.call("POST", "/api/checked", { name: "x".repeat(size - frame) })).status);
    expect(statuses).toEqual([400, 413]);
  });
});

describe("errors", () => {
  it("an unknown route is 404 with an error, credentials or not", async () => {
    const answer = await test.call("GET", "/api/nothing?token=secret", undefined, {});
    expect([answer.status, answer.body]).toEqual([404, { error: "No such route: GET /api/nothing" }]);
  });

  it("a path that can't be decoded is 400 with an error", async () => {
    const answer = await test.call("GET", "/api/%zz");
    expect([answer.status, typeof answer.body.error]).toEqual([400, "string"]);
  });

  it("a path segment that is too long is 414, and is not sent back", async () => {
    const segment = "a".repeat(300);
    const answer = await test.call("GET", `/api/paged/${segment}`);
    expect(answer.status).toBe(414);
    expect(JSON.stringify(answer.body)).not.toContain(segment);
  });

  it("while the service starts, REST and sign-in links are 503 with the reason and Retry-After", async () => {
    test.lifecycle.state = { status: "starting", reason: "the database is not ready" };
    try {
      for (const url of ["/api/mine", "/auth/link?token=a"]) {
        const answer = await test.call("GET", url);
        expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "2"]);
        expect(answer.body.error).toMatch(/is starting: the database is not ready/);
      }
    } finally {
      test.lifecycle.state = { status: "ready" };
    }
  });

  it("our own fault is 500 without its details", async () => {
    failure = new Error("a secret detail");
    const answer = await test.call("GET", "/api/fails");
    expect(answer.status).toBe(500);
    expect(answer.body.error).toMatch(/^Internal error/);
    expect(JSON.stringify(answer.body)).not.toContain("secret");
  });

  it.each([
    ["a refused connection", Object.assign(new Error("connect"), { code: "ECONNREFUSED" })],
    ["a missing socket", Object.assign(new Error("connect"), { code: "ENOENT", syscall: "connect" })],
    ["a server that shuts down", Object.assign(new Error("terminating"), { code: "57P01" })],
    ["a cut connection", new Error("select 1 - Connection terminated unexpectedly")],
  ])("%s of the database is 503 with Retry-After", async (_name, error) => {
    failure = error;
    const answer = await test.call("GET", "/api/fails");
    expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "2"]);
  });

  it("each domain error keeps its status and message", async () => {
    failure = new DomainError("conflict", "already there");
    const answer = await test.call("GET", "/api/fails");
    expect([answer.status, answer.body]).toEqual([409, { error: "already there" }]);
  });
});

describe("access", () => {
  it("a key and a session of the team pass, and tell who calls", async () => {
    const { team } = test;
    expect((await test.call("GET", "/api/mine")).body.caller).toEqual({
      kind: "api_key",
      teamId: team.teamId,
      apiKeyId: team.apiKeyId,
    });
    expect((await test.call("GET", "/api/mine", undefined, team.bySession)).body.caller).toEqual({
      kind: "session",
      teamId: team.teamId,
      userId: team.userId,
    });
  });

  it.each([
    ["nothing", {}],
    ["an unknown key", { authorization: `Bearer ${newKey("sk_")}` }],
    ["a runner key", { authorization: `Bearer ${newKey("rk_")}` }],
    ["another scheme", { authorization: "Basic abc" }],
    ["an empty token", { authorization: "Bearer " }],
    ["an unknown session", { cookie: "svc_session=abc" }],
    ["SQL", { authorization: "Bearer sk_' OR 1=1 --" }],
  ])("%s is 401 on a team route, before the body is looked at", async (_name, headers) => {
    const answer = await test.call("POST", "/api/checked", "{", headers as Record<string, string>);
    expect([answer.status, typeof answer.body.error]).toEqual([401, "string"]);
    expect(answer.headers["www-authenticate"]).toBe("Bearer");
  });

  it("a good key with something behind it is 401", async () => {
    const authorization = `${test.team.byKey.authorization} junk`;
    expect((await test.call("GET", "/api/mine", undefined, { authorization })).status).toBe(401);
  });

  it("a revoked key is refused on its next call", async () => {
    const team = await test.createTeam();
    expect((await test.call("GET", "/api/mine", undefined, team.byKey)).status).toBe(200);
    await test.services.knex("api_keys").where({ id: team.apiKeyId }).delete();
    expect((await test.call("GET", "/api/mine", undefined, team.byKey)).status).toBe(401);
  });

  it("a session-only route answers a key with 403 and its code, a wrong key with 401", async () => {
    const answer = await test.call("GET", "/api/session-only");
    expect([answer.status, answer.body.code, typeof answer.body.error]).toEqual([
      403,
      "session_required",
      "string",
    ]);
    const wrong = await test.call("GET", "/api/session-only", undefined, {
      authorization: `Bearer ${newKey("sk_")}`,
    });
    expect(wrong.status).toBe(401);
    expect((await test.call("GET", "/api/session-only", undefined, test.team.bySession)).status).toBe(200);
  });

  it("an incident lifecycle route answers a key with its own message and no code", async () => {
    const answer = await test.call("POST", "/api/lifecycle");
    expect([answer.status, answer.body]).toEqual([
      403,
      { error: "Session authentication required for lifecycle actions" },
    ]);
  });

  it.each([
    ["no Origin", undefined, 403],
    ["another site's", "http://evil.example", 403],
    ["the same host on another port", "http://127.0.0.1:9999", 403],
    ["our own", "http://127.0.0.1:8080", 200],
  ])("a change by cookie with %s as its origin answers accordingly", async (_name, origin, status) => {
    const { cookie } = test.team.bySession;
    const headers = { cookie, ...(origin ? { origin } : {}) };
    expect((await test.call("POST", "/api/session-change", undefined, headers)).status).toBe(status);
  });

  it("a session that has expired is 401", async () => {
    const team = await test.createTeam();
    await test.services
      .knex("sessions")
      .where({ userId: team.userId })
      .update({ expiresAt: new Date(test.clock.nowMs()) });
    expect((await test.call("GET", "/api/mine", undefined, team.bySession)).status).toBe(401);
  });

  it("an API key or a session is 401 on a runner route; a runner key and a dispatch token pass", async () => {
    expect((await test.call("POST", "/api/runner-only")).status).toBe(401);
    expect((await test.call("POST", "/api/runner-only", undefined, test.team.bySession)).status).toBe(401);
    const secret = newKey("rk_");
    await test.services.knex("runner_keys").insert({
      id: "rkey_test",
      locationKey: null,
      name: "Test",
      keyPrefix: keyPrefixOf(secret),
      keyHash: hashToken(secret),
    });
    const byRunner = { authorization: `Bearer ${secret}` };
    expect((await test.call("POST", "/api/runner-only", undefined, byRunner)).body).toEqual({
      kind: "runner_key",
      runnerKeyId: "rkey_test",
      locationKey: null,
    });
    expect((await test.call("GET", "/api/mine", undefined, byRunner)).status).toBe(401);
    const grant = { checkKey: 1, locationKey: 2, slotMs: 3 };
    const token = signDispatchToken(test.services.secrets, grant, test.clock.nowMs() + 1);
    const byToken = { authorization: `Bearer ${token}` };
    expect((await test.call("POST", "/api/runner-only", undefined, byToken)).body).toEqual({
      kind: "dispatch_token",
      ...grant,
    });
  });

  it("lastUsedAt is set on the first use and refreshed at most once an hour", async () => {
    const team = await test.createTeam();
    const useAndRead = async () => {
      await test.call("GET", "/api/mine", undefined, team.byKey);
      const row = await test.services.knex("api_keys").where({ id: team.apiKeyId }).first("lastUsedAt");
      return Date.parse(row.lastUsedAt);
    };
    const firstUseMs = test.clock.nowMs();
    expect(await useAndRead()).toBe(firstUseMs);
    test.clock.advance(60 * 60 * 1000 - 1);
    expect(await useAndRead()).toBe(firstUseMs);
    test.clock.advance(1);
    expect(await useAndRead()).toBe(firstUseMs + 60 * 60 * 1000);
  });
});

describe("the API's description", () => {
  it("writes its tags in one way, whether a route names its own or not", async () => {
    const { body } = await test.call("GET", "/api/openapi.json");
    const operations = Object.values(body.paths as Record<string, Record<string, { tags: string[] }>>);
    const tags = operations.flatMap((path) => Object.values(path).flatMap((operation) => operation.tags));
    expect(tags).toContain("Session only");
    for (const tag of tags) expect(tag).toMatch(/^[A-Z][^-]*$/);
  });
});

describe("the log", () => {
  it("holds no credential, query or body, at any level, whatever fails", async () => {
    const lines: string[] = [];
    const log = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
    const logged = await createTestApp({ register: registerTestRoutes, log });
    failure = new Error("broken");
    const secret = "s3cret-value";
    await logged.call("GET", `/api/mine?token=${secret}`);
    await logged.call("GET", "/api/fails");
    await logged.call("GET", "/api/mine", undefined, logged.team.bySession);
    await logged.call("POST", "/api/checked", { name: secret, type: "http" });
    await logged.call("POST", "/api/checked", `{"password": "${secret}`, {
      ...logged.team.byKey,
      "content-type": "application/json",
    });
    failure = await logged.services
      .knex("teams")
      .insert({ id: logged.team.teamId, name: secret })
      .catch((error) => error);
    await logged.call("GET", "/api/fails");
    const text = lines.join("");
    expect(text).toContain("broken");
    for (const hidden of [secret, logged.team.apiKey, logged.team.bySession.cookie.split("=")[1]])
      expect(text).not.toContain(hidden);
    await logged.close();
  });
});

describe("behind a proxy", () => {
  it("who asks can't choose the address that requests without credentials are counted by", async () => {
    const settings = { SVC_TRUST_PROXY: "true", SVC_RATE_LIMIT_PER_MINUTE: "1" };
    const proxied = await createTestApp({ register: registerTestRoutes, settings });
    const statusFrom = async (forwardedFor: string) =>
      (await proxied.call("GET", "/api/mine", undefined, { "x-forwarded-for": forwardedFor })).status;
    expect(await statusFrom("192.0.2.1, 198.51.100.1")).toBe(401);
    expect(await statusFrom("192.0.2.2, 198.51.100.1")).toBe(429);
    expect(await statusFrom("192.0.2.2, 198.51.100.2")).toBe(401);
    await proxied.close();
  });
});

describe("operations", () => {
  it("answers /healthz, /readyz and /metrics to anyone", async () => {
    expect((await test.call("GET", "/healthz", undefined, {})).body).toEqual({ status: "ok" });
    expect((await test.call("GET", "/readyz", undefined, {})).body).toEqual({ status: "ready" });
    const metrics = await test.call("GET", "/metrics", undefined, {});
    expect(metrics.body).toContain("svc_http_request_duration_seconds_count");
  });

  it("while it starts, /readyz and the API say what it waits for, and /healthz is fine", async () => {
    test.lifecycle.state = { status: "starting", reason: "waiting for the database" };
    const ready = await test.call("GET", "/readyz", undefined, {});
    expect([ready.status, ready.body]).toEqual([
      503,
      { status: "starting", reason: "waiting for the database" },
    ]);
    const mine = await test.call("GET", "/api/mine");
    expect([mine.status, mine.body.error]).toEqual([
      503,
      "The service is starting: waiting for the database",
    ]);
    expect((await test.call("GET", "/healthz")).status).toBe(200);
    test.lifecycle.state = { status: "ready" };
  });

  it("answers carry the security headers and are not cached", async () => {
    const { headers } = await test.call("GET", "/api/mine");
    expect(headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "cache-control": "no-store",
    });
    expect(headers["access-control-allow-origin"]).toBeUndefined();
  });
});

describe("the API's description", () => {
  it("is OpenAPI 3.1 with every route, its security and its error answers", async () => {
    const { body } = await test.call("GET", "/api/openapi.json", undefined, {});
    expect(body.openapi).toBe("3.1.0");
    const operation = body.paths["/api/checked"].post;
    expect(operation.security).toEqual([{ apiKey: [] }, { session: [] }]);
    expect(Object.keys(operation.responses)).toEqual(
      expect.arrayContaining(["400", "401", "403", "413", "415", "429"]),
    );
    expect(body.components.schemas.Error.properties.error).toBeDefined();
  });

  it("is rendered at /docs without a network", async () => {
    const page = await test.app.inject("/docs/");
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain("swagger-ui");
    expect(page.body).not.toMatch(/(src|href)="https?:/);
    expect(page.headers["content-security-policy"]).toMatch(/script-src 'self'/);
  });
});
