import { DAY_MS } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { registerSecretRoutes } from "../team-secrets/routes.ts";
import { registerDeployPlanRoutes } from "./routes.ts";
import { deleteExpiredDeployPlans } from "./store.ts";

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerDeployPlanRoutes(app, services);
      registerSecretRoutes(app, services);
    },
  });
});
afterAll(() => test.close());
beforeEach(async () => {
  test.team = await test.createTeam();
});

const aPlan = (more: object = {}) => ({
  project: "shop",
  changes: [
    {
      type: "update",
      kind: "check",
      name: "Home",
      remoteId: "chk_1",
      drift: "conflict",
      fieldChanges: [
        { field: "url", oldValue: "https://a.example/", newValue: null },
        { field: "auth", oldValue: "[redacted]", newValue: "[redacted]", redacted: true },
      ],
    },
  ],
  summary: { create: 0, update: 1, delete: 0, unchanged: 12 },
  prunable: [{ kind: "slo", name: "Up" }],
  ci: { commit: "abc", branch: "main", author: "ada", url: "https://ci.example/1" },
  ...more,
});
const publish = (more?: object) => test.call("POST", "/api/plans", aPlan(more));

it("is answered as it was published, with its link, its author and its end", async () => {
  const { status, body } = await publish();
  const { id } = body.plan;
  expect([status, body.plan.url]).toEqual([201, expect.stringMatching(new RegExp(`^http.*/plans/${id}$`))]);
  expect(Date.parse(body.plan.expiresAt) - test.clock.nowMs()).toBe(30 * DAY_MS);
  const read = await test.call("GET", `/api/plans/${id}`);
  expect(read.body.plan).toEqual({
    ...aPlan(),
    ...body.plan,
    author: expect.any(String),
    createdAt: new Date(test.clock.nowMs()).toISOString(),
  });
});

it("expires, is another team's secret, and only the newest 50 of a team are kept", async () => {
  const { id } = (await publish()).body.plan;
  const owner = test.team;
  test.team = await test.createTeam();
  expect((await test.call("GET", `/api/plans/${id}`)).status).toBe(404);
  test.team = owner;
  for (let i = 0; i < 52; i++) {
    test.clock.advance(1_000);
    expect((await publish()).status).toBe(201);
  }
  expect((await test.call("GET", `/api/plans/${id}`)).status).toBe(404);
  expect(await test.services.knex("deployPlans").where({ teamId: owner.teamId })).toHaveLength(50);
  const last = (await publish()).body.plan.id;
  test.clock.advance(30 * DAY_MS);
  expect((await test.call("GET", `/api/plans/${last}`)).status).toBe(404);
  await deleteExpiredDeployPlans(test.services.knex, test.clock.nowMs());
  expect(await test.services.knex("deployPlans")).toEqual([]);
});

it.each([
  ["project", { project: "" }],
  [
    "changes",
    { changes: [{ type: "unchanged", kind: "check", name: "a", remoteId: null, fieldChanges: [] }] },
  ],
  ["summary", { summary: { create: -1, update: 0, delete: 0, unchanged: 0 } }],
  ["ci", { ci: { url: "javascript:alert(1)" } }],
  ["prunable", { prunable: [{ kind: "team", name: "x" }] }],
])("refuses a wrong %s", async (field, more) => {
  const { status, body } = await publish(more);
  expect([status, Object.keys(body.details.fieldErrors)]).toEqual([400, [field]]);
});

it("is stored without secrets that the client did not hide, and without values of the team's own secrets", async () => {
  expect((await test.call("POST", "/api/secrets", { name: "TOKEN", value: "hush-hush-1" })).status).toBe(201);
  const change = { type: "update", kind: "check", name: "Home hush-hush-1", remoteId: null };
  const fieldChanges = [
    { field: "headers.X-Key", oldValue: "plain-header", newValue: "hush-hush-1" },
    { field: "assertions", oldValue: [{ value: "has hush-hush-1" }], newValue: null },
  ];
  const { body } = await publish({ changes: [{ ...change, fieldChanges }] });
  const { plan } = (await test.call("GET", `/api/plans/${body.plan.id}`)).body;
  expect(plan.changes[0]).toMatchObject({
    name: "Home ***REDACTED***",
    fieldChanges: [
      { oldValue: "***REDACTED***", newValue: "***REDACTED***", redacted: true },
      { oldValue: [{ value: "has ***REDACTED***" }] },
    ],
  });
  const [row] = await test.services.knex("deployPlans").where({ teamId: test.team.teamId });
  for (const secret of ["hush-hush-1", "plain-header"])
    expect(JSON.stringify([row, plan])).not.toContain(secret);
  // Another team's secrets are no business of this one.
  test.team = await test.createTeam();
  const other = (await publish({ changes: [{ ...change, fieldChanges: [] }] })).body.plan;
  expect((await test.call("GET", `/api/plans/${other.id}`)).body.plan.changes[0].name).toBe(
    "Home hush-hush-1",
  );
});
