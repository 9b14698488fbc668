import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { testRoutes } from "../../../test-support/test-routes.ts";
import { signDispatchToken } from "../../accounts/identity/dispatch-token.ts";
import { hashToken, keyPrefixOf, newKey } from "../../accounts/identity/tokens.ts";

const routes = testRoutes();
let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({ register: routes.register });
});
afterAll(() => test.close());

describe("access", () => {
  it("a key and a session of the team pass, and tell who calls", async () => {
    const { team } = test;
    expect((await test.call("GET", "/api/mine")).body.caller).toEqual({
      kind: "api_key",
      teamId: team.teamId,
      apiKeyId: team.apiKeyId,
      role: "member",
    });
    expect((await test.call("GET", "/api/mine", undefined, team.bySession)).body.caller).toEqual({
      kind: "session",
      teamId: team.teamId,
      userId: team.userId,
      sessionId: expect.stringMatching(/^ses_0[0-9a-f]{25}$/),
      role: "owner",
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

  it.each([
    ["cross-site", 403],
    ["same-origin", 200],
  ])("a change by cookie that the browser calls %s answers accordingly", async (site, status) => {
    const headers = { ...test.team.bySession, "sec-fetch-site": site };
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
