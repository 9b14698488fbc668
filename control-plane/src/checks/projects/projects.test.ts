import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { aCheck } from "../../../test-support/builders.ts";
import { registerDeployBaselineRoutes } from "../deploy-baselines/routes.ts";
import { seedHostedLocations } from "../locations/seed.ts";
import { registerCheckRoutes } from "../routes.ts";

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerCheckRoutes(app, services, []);
      registerDeployBaselineRoutes(app, services);
    },
  });
  await seedHostedLocations(test.services.knex);
});
afterAll(() => test.close());
beforeEach(async () => {
  test.team = await test.createTeam();
});

const projects = async () => (await test.call("GET", "/api/projects")).body.projects;
const yaml = () => ({ ...test.team.byKey, "x-svc-source": "yaml" });
const resource = (kind: string, name: string, resourceId: string) => ({
  kind,
  name,
  resourceId,
  hash: "a",
  updatedAt: "then",
});
const deploy = (project: string, resources: object[]) =>
  test.call("PUT", `/api/deploy-baselines/${project}`, { resources });

it("says what each deployed, and which of it was changed since by anything but a deploy", async () => {
  expect(await projects()).toEqual([]);
  const create = async (name: string) =>
    (await test.call("POST", "/api/checks", aCheck({ name }))).body.check.id;
  const [home, cart, gone] = [await create("Home"), await create("Cart"), await create("Gone")];
  test.clock.advance(1_000);
  await test.services
    .knex("changes")
    .where({ teamId: test.team.teamId })
    .update({ createdAt: new Date(0) });
  await deploy("shop", [
    resource("check", "home", home),
    resource("check", "cart", cart),
    resource("check", "gone", gone),
    resource("channel", "ops", "nch_1"),
  ]);
  await deploy("blog", []);
  const [blog, shop] = await projects();
  expect(blog).toMatchObject({ project: "blog", resources: [], changed: [] });
  expect(shop).toMatchObject({
    project: "shop",
    resources: [
      { kind: "channel", count: 1 },
      { kind: "check", count: 3 },
    ],
    changed: [],
  });

  await test.services.knex("deployBaselines").update({ updatedAt: new Date(test.clock.nowMs() - 1) });
  await test.call("PUT", `/api/checks/${cart}`, { name: "By a deploy" }, yaml());
  await test.call("PUT", `/api/checks/${home}`, { name: "Front" });
  await test.call("PUT", `/api/checks/${home}`, { name: "Start", frequencySeconds: 60 });
  test.clock.advance(1_000);
  await test.call("DELETE", `/api/checks/${gone}`);
  expect((await projects())[1].changed).toEqual([
    {
      kind: "check",
      name: "gone",
      resourceId: gone,
      isDeleted: true,
      fields: [],
      changedAt: new Date(test.clock.nowMs()).toISOString(),
      author: expect.any(String),
    },
    expect.objectContaining({ name: "home", isDeleted: false, fields: ["frequencySeconds", "name"] }),
  ]);
  test.team = await test.createTeam();
  expect(await projects()).toEqual([]);
});
