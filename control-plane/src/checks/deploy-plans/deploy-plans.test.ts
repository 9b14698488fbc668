import { DAY_MS } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { registerDeployPlanRoutes } from "./routes.ts";
import { deleteExpiredDeployPlans } from "./store.ts";

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({ register: registerDeployPlanRoutes });
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
