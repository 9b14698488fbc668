import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { testRoutes } from "../../../test-support/test-routes.ts";

const routes = testRoutes();
let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({ register: routes.register });
});
afterAll(() => test.close());

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
    const logged = await createTestApp({ register: routes.register, log });
    routes.failure = new Error("broken");
    const secret = "s3cret-value";
    await logged.call("GET", `/api/mine?token=${secret}`);
    await logged.call("GET", "/api/fails");
    await logged.call("GET", "/api/mine", undefined, logged.team.bySession);
    await logged.call("POST", "/api/checked", { name: secret, type: "http" });
    await logged.call("POST", "/api/checked", `{"password": "${secret}`, {
      ...logged.team.byKey,
      "content-type": "application/json",
    });
    routes.failure = await logged.services
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
    const proxied = await createTestApp({ register: routes.register, settings });
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

  it("while it starts, a browser gets a page that says so and asks again, and no other page runs", async () => {
    test.lifecycle.state = { status: "starting", reason: "waiting for the <database>" };
    const accept = { accept: "text/html,application/xhtml+xml" };
    for (const path of ["/", "/checks/chk_1?range=7d", "/auth/link?token=abc"]) {
      const page = await test.call("GET", path, undefined, accept);
      expect([path, page.status]).toEqual([path, 503]);
      expect(page.headers).toMatchObject({ "retry-after": "2", refresh: "2", "cache-control": "no-store" });
      expect(page.headers["content-security-policy"]).toContain("default-src 'none'");
      expect(page.body).toContain("<h1>svc is starting</h1>");
      expect(page.body).toContain("waiting for the ");
      expect(page.body).not.toContain("<database>");
    }
    const api = await test.call("GET", "/api/mine", undefined, accept);
    expect(api.body.error).toContain("The service is starting");
    test.lifecycle.state = { status: "ready" };
    expect((await test.call("GET", "/auth/nothing", undefined, accept)).status).toBe(404);
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
      expect.arrayContaining(["400", "401", "403", "408", "413", "415", "429", "500", "503"]),
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
