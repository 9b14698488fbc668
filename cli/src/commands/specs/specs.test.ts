import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { testFolder } from "../../../test-support/run-svc.ts";
import { svcWith } from "../../../test-support/svc-with.ts";

let folder: ReturnType<typeof testFolder>;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

const spec = {
  id: "spec_1",
  name: "Shop",
  sourceType: "url",
  sourceUrl: "https://u:s3cr3t@shop.example/?token=s3cr3t",
  title: "Shop API",
  version: "1.2",
  openapiVersion: "3.1.0",
  operationCount: 1,
  createdAt: "2026-05-01T00:00:00.000Z",
  updatedAt: null,
};
const operations = [
  {
    method: "get",
    path: "/orders/{id}",
    summary: "One order",
    deprecated: false,
    servers: [],
    parameters: [],
    security: [],
    responses: ["200"],
  },
];
const answers = {
  "GET /api/specs": { specs: [spec] },
  "GET /api/specs/spec_1": { spec, operations },
  "POST /api/specs": { spec },
  "PUT /api/specs/spec_1": { spec },
  "DELETE /api/specs/spec_1": { success: true },
};
const svc = (...args: string[]) => svcWith(answers, ["specs", ...args], { cwd: folder.path });

it.each([[["list"]], [["list", "--json"]], [["get", "Shop"]], [["get", "Shop", "--json"]]])(
  "%j shows no credential of a URL",
  async (args) => {
    const { code, stdout } = await svc(...args);
    expect(code).toBe(0);
    expect(stdout).toContain("shop.example");
    expect(stdout).not.toContain("s3cr3t");
  },
);

it("shows the operations", async () => {
  expect((await svc("get", "spec_1")).stdout).toMatch(/GET +\/orders\/\{id\} +One order/);
});

it("stores a file's text, or what a URL has", async () => {
  writeFileSync(join(folder.path, "api.yaml"), "openapi: 3.1.0 # ü\n");
  expect((await svc("upload", "api.yaml")).changes).toEqual([
    { route: "POST /api/specs", body: { sourceType: "upload", content: "openapi: 3.1.0 # ü\n" } },
  ]);
  const sourceUrl = "https://shop.example/openapi.json";
  expect((await svc("upload", sourceUrl, "--name", "Shop")).changes).toEqual([
    { route: "POST /api/specs", body: { sourceType: "url", sourceUrl, name: "Shop" } },
  ]);
});

it("replaces the document of a spec that is there", async () => {
  writeFileSync(join(folder.path, "api.json"), "{}");
  const { json, changes } = await svc("upload", "api.json", "--replace", "shop", "--json");
  expect(changes).toEqual([
    { route: "PUT /api/specs/spec_1", body: { sourceType: "upload", content: "{}" } },
  ]);
  expect(json().data.replaced).toBe(true);
});

it.each([
  ["no such file", () => {}, "can't be read"],
  ["no text", () => writeFileSync(join(folder.path, "a"), Buffer.from([0xff, 0xfe, 0x00])), "not UTF-8"],
  [
    "too large",
    () => writeFileSync(join(folder.path, "a"), Buffer.alloc(10 * 1024 * 1024 + 1)),
    "largest is",
  ],
])("refuses %s before anything is sent", async (_title, prepare, message) => {
  prepare();
  const { code, stderr, changes } = await svc("upload", "a");
  expect([code, changes]).toEqual([1, []]);
  expect(stderr).toContain(message);
});

it("deletes only with --yes", async () => {
  expect((await svc("delete", "Shop")).changes).toEqual([]);
  expect((await svc("delete", "Shop", "--yes")).changes).toEqual(["DELETE /api/specs/spec_1"]);
});
