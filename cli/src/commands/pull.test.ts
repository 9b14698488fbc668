import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { memoryService } from "../../test-support/memory-service.ts";
import { runSvc, testFolder } from "../../test-support/run-svc.ts";

let folder: ReturnType<typeof testFolder>;
beforeEach(() => {
  folder = testFolder();
  mkdirSync(join(folder.path, "pulled"));
});
afterEach(() => folder.remove());

/** A service to which a monitor with credentials was deployed. */
async function serviceWithCredentials() {
  const service = memoryService();
  writeFileSync(
    join(folder.path, "svc.config.yaml"),
    'project: p\nmonitors:\n  - { name: shop, type: http, url: "https://u:s3cret-password@a.example.com/" }\n',
  );
  expect((await run(service, ["deploy"], folder.path)).code).toBe(0);
  return service;
}

const run = (service: { fetch: typeof fetch }, args: string[], cwd: string) =>
  runSvc(args, { cwd, fetch: service.fetch, env: { SVC_API_KEY: "svc_key" } });

it("a credential of one letter is not redacted in every word of the output", async () => {
  const ran = await run(await serviceWithCredentials(), ["pull"], join(folder.path, "pulled"));
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  expect(ran.stdout).toContain("1 monitor, 0 alert rules, 0 channels, 0 SLOs");
  expect(ran.stdout).toContain("SVC_SECRET_SHOP_URL_USER");
});

it("a second pull writes the same text, also while the variables are not set", async () => {
  const service = await serviceWithCredentials();
  const cwd = join(folder.path, "pulled");
  await run(service, ["pull"], cwd);
  const first = readFileSync(join(cwd, "svc.config.yaml"), "utf8");
  expect(first).toContain("{{secrets.SHOP_URL_PASSWORD}}");
  expect((await run(service, ["pull"], cwd)).code).toBe(0);
  expect(readFileSync(join(cwd, "svc.config.yaml"), "utf8")).toBe(first);
});
