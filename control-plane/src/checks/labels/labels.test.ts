import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { aCheck } from "../../../test-support/builders.ts";
import { seedHostedLocations } from "../locations/seed.ts";
import { registerCheckRoutes } from "../routes.ts";
import { registerLabelRoutes } from "./routes.ts";

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerCheckRoutes(app, services, []);
      registerLabelRoutes(app, services, []);
    },
  });
  await seedHostedLocations(test.services.knex);
});
afterAll(() => test.close());
beforeEach(async () => {
  test.team = await test.createTeam();
});

async function createCheck(): Promise<string> {
  return (await test.call("POST", "/api/checks", aCheck())).body.check.id;
}
const put = (id: string, labels: unknown) => test.call("PUT", `/api/checks/${id}/labels`, { labels });

it("a list sets the full set, an empty one clears it", async () => {
  const id = await createCheck();
  expect((await test.call("GET", `/api/checks/${id}/labels`)).body).toEqual({ labels: [] });
  expect((await put(id, ["tier:1", "Prod", "a.b_c-d"])).body).toEqual({
    labels: ["Prod", "a.b_c-d", "tier:1"],
  });
  expect((await put(id, ["Prod"])).body).toEqual({ labels: ["Prod"] });
  expect((await test.call("GET", `/api/checks/${id}/labels`)).body).toEqual({ labels: ["Prod"] });
  expect((await put(id, [])).body).toEqual({ labels: [] });
});

it("the labels of all checks are listed by their ids", async () => {
  const [first, second] = [await createCheck(), await createCheck()];
  await createCheck();
  await put(first, ["x"]);
  await put(second, ["y", "x"]);
  expect((await test.call("GET", "/api/labels")).body).toEqual({
    labels: { [first]: ["x"], [second]: ["x", "y"] },
  });
  await test.call("DELETE", `/api/checks/${first}`);
  expect((await test.call("GET", "/api/labels")).body).toEqual({ labels: { [second]: ["x", "y"] } });
});

it.each([
  ["no list", "x"],
  ["an empty label", [""]],
  ["a label that begins with a sign", [":x"]],
  ["a space", ["a b"]],
  ["129 characters", ["x".repeat(129)]],
  ["one twice", ["x", "x"]],
])("%s is 400 and changes nothing", async (_title, labels) => {
  const id = await createCheck();
  await put(id, ["kept"]);
  expect((await put(id, labels)).status).toBe(400);
  expect((await test.call("GET", `/api/checks/${id}/labels`)).body).toEqual({ labels: ["kept"] });
});

it("another team's check is not found", async () => {
  const id = await createCheck();
  await put(id, ["x"]);
  test.team = await test.createTeam();
  expect((await test.call("GET", `/api/checks/${id}/labels`)).status).toBe(404);
  expect((await put(id, [])).status).toBe(404);
  expect((await test.call("GET", "/api/labels")).body).toEqual({ labels: {} });
});

it("of two that set labels at once one wins, whole", async () => {
  const id = await createCheck();
  const answers = await Promise.all([put(id, ["a", "b"]), put(id, ["c", "d"])]);
  expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
  const { labels } = (await test.call("GET", `/api/checks/${id}/labels`)).body;
  expect([
    ["a", "b"],
    ["c", "d"],
  ]).toContainEqual(labels);
});
