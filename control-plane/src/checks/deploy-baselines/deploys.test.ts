import { svcConfigJsonSchema } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { registerConfigSchemaRoute } from "../config-schema/routes.ts";
import { registerDeployBaselineRoutes } from "./routes.ts";

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerDeployBaselineRoutes(app, services);
      registerConfigSchemaRoute(app);
    },
  });
});
afterAll(() => test.close());
beforeEach(async () => {
  test.team = await test.createTeam();
});

const PATH = "/api/deploy-baselines";
const resource = {
  kind: "check",
  name: "Home",
  resourceId: "chk_1",
  hash: "abc",
  updatedAt: "2026-06-01T12:00:00.000Z",
};
const list = async () => (await test.call("GET", PATH)).body.baselines;

it("what a deploy left is answered by project; the next one replaces it whole", async () => {
  expect(await list()).toEqual([]);
  expect((await test.call("PUT", `${PATH}/shop`, { resources: [resource] })).status).toBe(200);
  expect((await test.call("PUT", `${PATH}/a%2Fb`, { resources: [] })).status).toBe(200);
  expect(await list()).toMatchObject([
    { project: "a/b", resources: [] },
    { project: "shop", resources: [resource] },
  ]);
  const other = { ...resource, name: "Other", labels: ["x"] };
  await test.call("PUT", `${PATH}/shop`, { resources: [other] });
  expect((await list())[1].resources).toEqual([other]);
});

it.each([
  ["no list", {}],
  ["an unknown kind", { resources: [{ ...resource, kind: "dog" }] }],
  ["an unknown field", { resources: [{ ...resource, secret: "x" }] }],
])("%s is 400 and changes nothing", async (_title, body) => {
  await test.call("PUT", `${PATH}/shop`, { resources: [resource] });
  expect((await test.call("PUT", `${PATH}/shop`, body)).status).toBe(400);
  expect((await list())[0].resources).toEqual([resource]);
});

it("another team has projects of its own", async () => {
  await test.call("PUT", `${PATH}/shop`, { resources: [resource] });
  const first = test.team;
  test.team = await test.createTeam();
  expect(await list()).toEqual([]);
  expect((await test.call("DELETE", `${PATH}/shop`)).status).toBe(404);
  await test.call("PUT", `${PATH}/shop`, { resources: [] });
  test.team = first;
  expect((await list())[0].resources).toEqual([resource]);
});

it("of two that write at once one wins, whole", async () => {
  const lists = [[resource], [{ ...resource, name: "Other" }, resource]];
  const answers = await Promise.all(
    lists.map((resources) => test.call("PUT", `${PATH}/shop`, { resources })),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(lists).toContainEqual((await list())[0].resources);
});

it("a forgotten project is gone, and can be deployed again", async () => {
  await test.call("PUT", `${PATH}/shop`, { resources: [] });
  expect((await test.call("DELETE", `${PATH}/shop`)).status).toBe(200);
  expect((await test.call("DELETE", `${PATH}/shop`)).status).toBe(404);
  expect((await test.call("PUT", `${PATH}/shop`, { resources: [] })).status).toBe(200);
});

it("10,000 resources fit", async () => {
  const resources = Array.from({ length: 10_000 }, (_, i) => ({ ...resource, name: `m${i}` }));
  expect((await test.call("PUT", `${PATH}/big`, { resources })).status).toBe(200);
});

it("the schema of svc.config.yaml is there for editors, without a key", async () => {
  const answer = await test.app.inject({ method: "GET", url: "/svc.config.schema.json" });
  expect(answer.statusCode).toBe(200);
  expect(answer.headers["content-type"]).toMatch(/^application\/schema\+json/);
  expect(answer.json()).toEqual(JSON.parse(JSON.stringify(svcConfigJsonSchema())));
});

it("the description says that the schema is an object, and names every status of a path with an id", async () => {
  const { body } = await test.call("GET", "/api/openapi.json");
  const content = body.paths["/svc.config.schema.json"].get.responses["200"].content;
  expect(content["application/schema+json"].schema.type).toBe("object");
  const { put } = body.paths["/api/deploy-baselines/{project}"];
  expect(Object.keys(put.responses)).toEqual(expect.arrayContaining(["404", "408", "414", "500", "503"]));
});
