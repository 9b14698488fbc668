import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { registerMetaRoutes } from "../../accounts/meta/routes.ts";
import { registerAgentPackageRoute } from "./routes.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-agent-package-"));
const file = join(folder, "agent.tgz");
const path = "/install/svc-runner-agent-0.0.1.tgz";
// More than the buffers of a connection hold: a download that is not read stays under way.
const bytes = Buffer.alloc(16_000_000, 7);
let test: TestApp;

beforeAll(async () => {
  writeFileSync(file, bytes);
  test = await createTestApp({
    register: (app, services) => {
      services.agentPackage = { file, path };
      registerAgentPackageRoute(app, services);
      registerMetaRoutes(app, services);
    },
  });
  await test.app.listen({ host: "127.0.0.1", port: 0 });
});
afterAll(async () => {
  await test.close();
  rmSync(folder, { recursive: true });
});

const url = () => `http://127.0.0.1:${(test.app.server.address() as AddressInfo).port}${path}`;

it("is offered to everyone, whole, where the service's facts say", async () => {
  expect((await test.call("GET", "/api/meta")).body.agentPackage).toBe(path);
  const response = await fetch(url());
  expect([response.status, response.headers.get("content-length")]).toEqual([200, String(bytes.length)]);
  expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
});

it("downloads that are not read hold up no other", async () => {
  const slow: http.IncomingMessage[] = [];
  for (let one = 0; one < 30; one++)
    slow.push(
      await new Promise((resolve, reject) => http.get(url(), { agent: false }, resolve).on("error", reject)),
    );
  const response = await fetch(url());
  expect((await response.arrayBuffer()).byteLength).toBe(bytes.length);
  for (const one of slow) one.destroy();
  expect((await fetch(url(), { method: "HEAD" })).status).toBe(200);
});
