import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { registerBillingRoutes } from "../../accounts/billing/routes.ts";
import { registerIncidentRoutes } from "./routes.ts";

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerIncidentRoutes(app, services);
      registerBillingRoutes(app);
    },
  });
});
afterAll(() => test.close());

describe("incident lifecycle", () => {
  const actions = ["acknowledge", "close", "reopen", "notes"];

  it.each(actions)("%s by key is 403 with the lifecycle message and no code", async (action) => {
    const { status, body } = await test.call("POST", `/api/incidents/inc_1/${action}`, { body: "x" });
    expect([status, body]).toEqual([403, { error: "Session authentication required for lifecycle actions" }]);
  });

  it.each(actions)("%s without credentials is 401", async (action) => {
    expect((await test.call("POST", `/api/incidents/inc_1/${action}`, undefined, {})).status).toBe(401);
  });

  it.each(actions)("%s of an unknown incident by session is 404", async (action) => {
    const path = `/api/incidents/inc_1/${action}`;
    const { status, body } = await test.call("POST", path, { body: "x" }, test.team.bySession);
    expect([status, body]).toEqual([404, { error: "Incident not found" }]);
  });

  it("a note without text is 400", async () => {
    const answer = await test.call("POST", "/api/incidents/inc_1/notes", { body: " " }, test.team.bySession);
    expect(answer.status).toBe(400);
  });
});

describe("billing", () => {
  it.each(["checkout", "portal"])("%s: a key is 403 with its code, a session 503", async (action) => {
    const path = `/api/billing/${action}`;
    expect(await test.call("POST", path)).toMatchObject({ status: 403, body: { code: "session_required" } });
    const { status, body } = await test.call("POST", path, undefined, test.team.bySession);
    expect([status, body]).toEqual([503, { error: "Billing not configured" }]);
  });
});
