import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { addKey, addPerson } from "../../../test-support/people.ts";
import { testRoutes } from "../../../test-support/test-routes.ts";

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({ register: testRoutes().register });
});
afterAll(() => test.close());

const READS = ["GET", "/api/mine"] as const;
const CHANGES = ["POST", "/api/bodyless"] as const;
const SESSION = ["GET", "/api/session-only"] as const;
const SESSION_CHANGES = ["POST", "/api/session-change"] as const;
const LIFECYCLE = ["POST", "/api/lifecycle"] as const;
const OWNER = ["POST", "/api/owner-only"] as const;

describe("roles", () => {
  it.each([
    ["viewer", READS, 200],
    ["viewer", CHANGES, 403],
    ["viewer", SESSION, 200],
    ["viewer", SESSION_CHANGES, 403],
    ["viewer", LIFECYCLE, 403],
    ["viewer", OWNER, 403],
    ["member", CHANGES, 200],
    ["member", SESSION_CHANGES, 200],
    ["member", LIFECYCLE, 200],
    ["member", OWNER, 403],
    ["owner", CHANGES, 200],
    ["owner", SESSION_CHANGES, 200],
    ["owner", OWNER, 200],
  ] as const)("a signed-in %s at %s is answered %i", async (role, [method, url], status) => {
    const { bySession } = await addPerson(test, { teamId: test.team.teamId, role });
    const answer = await test.call(method, url, undefined, bySession);
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.body).toEqual({ error: expect.any(String), code: "role_required" });
  });

  it.each([
    ["viewer", READS, 200, undefined],
    ["viewer", CHANGES, 403, "role_required"],
    ["viewer", SESSION, 403, "session_required"],
    ["member", CHANGES, 200, undefined],
    ["member", OWNER, 403, "session_required"],
  ] as const)("a key with the role %s at %s is answered %i", async (role, [method, url], status, code) => {
    const byKey = await addKey(test, { teamId: test.team.teamId, role });
    const answer = await test.call(method, url, undefined, byKey);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it("a changed role is seen by the next request; a removed person's sessions are refused", async () => {
    const { teamId } = test.team;
    const { userId, bySession } = await addPerson(test, { teamId, role: "member" });
    const change = () => test.call(...CHANGES, undefined, bySession);
    expect((await change()).status).toBe(200);
    const membership = test.services.knex("memberships").where({ teamId, userId });
    await membership.clone().update({ role: "viewer" });
    expect((await change()).status).toBe(403);
    await membership.clone().delete();
    expect((await change()).status).toBe(401);
  });

  it("a key is refused from the instant of its expiry on", async () => {
    const expiresAt = new Date(test.clock.nowMs() + 1000);
    const byKey = await addKey(test, { teamId: test.team.teamId, role: "member", expiresAt });
    expect((await test.call(...READS, undefined, byKey)).status).toBe(200);
    test.clock.advance(1000);
    expect((await test.call(...READS, undefined, byKey)).status).toBe(401);
  });

  it("a route that says nothing about its access can't be registered", async () => {
    await expect(
      createTestApp({ register: (app) => void app.get("/api/forgotten", async () => ({})) }),
    ).rejects.toThrow("GET /api/forgotten says nothing about its access");
  });
});
