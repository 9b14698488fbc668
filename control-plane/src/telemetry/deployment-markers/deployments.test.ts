import type { TeamId } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { registerDeploymentRoutes } from "./routes.ts";
import { deploymentsBetween } from "./store.ts";

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({ register: registerDeploymentRoutes });
});
afterAll(() => test.close());
beforeEach(async () => {
  test.team = await test.createTeam();
});

const record = (body: object) =>
  test.call("POST", "/api/events/deployments", { service: "shop", version: "1.2.3", ...body });
const versions = async (query = "") =>
  (await test.call("GET", `/api/deployments${query}`)).body.deployments.map(
    (one: { version: string }) => one.version,
  );
const eventsOf = (teamId: TeamId) =>
  test.services.knex("derivedEvents").whereNot({ name: "synthetics.audit" }).where({ teamId });

it("a marker comes back in camel case, and the event with it", async () => {
  const { status, body } = await record({
    environment: "production",
    commit_sha: "abc123",
    commit_message: "Fix the cart",
    deployed_by: "ada",
    source: "ci",
  });
  expect([status, body.deployment]).toEqual([
    201,
    {
      id: expect.stringMatching(/^dep_[0-9a-z]{26}$/),
      teamId: test.team.teamId,
      service: "shop",
      version: "1.2.3",
      environment: "production",
      commitSha: "abc123",
      commitMessage: "Fix the cart",
      deployedBy: "ada",
      source: "ci",
      createdAt: new Date(test.clock.nowMs()).toISOString(),
    },
  ]);
  expect((await test.call("GET", "/api/deployments")).body).toEqual({
    deployments: [body.deployment],
    limit: 50,
    offset: 0,
  });
  expect(await eventsOf(test.team.teamId)).toMatchObject([
    {
      name: "synthetics.deployment.created",
      severity: "info",
      attributes: { "synthetics.deployment.service": "shop", "synthetics.deployment.commit_sha": "abc123" },
    },
  ]);
});

it("only service and version are required", async () => {
  const { body } = await record({});
  expect(body.deployment).toMatchObject({ environment: null, commitSha: null, source: null });
});

it.each([
  ["no service", { service: undefined }, "service"],
  ["an empty version", { version: "" }, "version"],
  ["a version that is too long", { version: "v".repeat(256) }, "version"],
  ["a message that is too long", { commit_message: "m".repeat(4_097) }, "commit_message"],
  ["a number for a text", { environment: 1 }, "environment"],
  ["camel case", { commitSha: "abc" }, "commitSha"],
])("%s is 400 and named, and leaves nothing", async (_title, overrides, field) => {
  const { status, body } = await record(overrides);
  expect([status, Object.keys(body.details.fieldErrors)]).toEqual([400, [field]]);
  expect([await versions(), await eventsOf(test.team.teamId)]).toEqual([[], []]);
});

it("newest first, by service, by page", async () => {
  for (const version of ["1", "2", "3"]) {
    await record({ version });
    await record({ service: "blog", version: `b${version}` });
    test.clock.advance(1_000);
  }
  expect(await versions()).toEqual(["b3", "3", "b2", "2", "b1", "1"]);
  expect(await versions("?service=shop")).toEqual(["3", "2", "1"]);
  expect(await versions("?service=shop&limit=1&offset=1")).toEqual(["2"]);
  expect((await test.call("GET", "/api/deployments?limit=201")).status).toBe(400);
});

it("a team sees its own, also by time; both ends of the time count", async () => {
  const atMs = test.clock.nowMs();
  await record({ version: "first" });
  test.clock.advance(1_000);
  await record({ version: "second" });
  const between = async (teamId: TeamId, fromMs: number, toMs: number) =>
    (await deploymentsBetween(test.services.knex, teamId, { fromMs, toMs })).map(({ version }) => version);
  const { teamId } = test.team;
  expect(await between(teamId, atMs, atMs + 1_000)).toEqual(["second", "first"]);
  expect(await between(teamId, atMs + 1, atMs + 999)).toEqual([]);
  test.team = await test.createTeam();
  expect([await versions(), await between(test.team.teamId, atMs, atMs + 1_000)]).toEqual([[], []]);
});
