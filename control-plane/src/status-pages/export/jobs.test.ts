import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { anS3Server, BUCKET } from "../../../test-support/s3/server.ts";
import { parseConfig } from "../../platform/config.ts";
import { registerStatusPageRoutes } from "../routes.ts";
import { startStatusExportJobs } from "./jobs.ts";

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({ register: registerStatusPageRoutes });
});
afterAll(() => test.close());
beforeEach(() => test.services.knex("statusPages").delete());

it.each([
  ["hangs", "hang" as const, false],
  ["refuses", { status: 403, code: "AccessDenied" }, true],
  ["works", undefined, false],
])(
  "writes the folder while the storage %s, tells no secret, and ends at once",
  async (_, trouble, hasWarned) => {
    const folder = await mkdtemp(join(tmpdir(), "svc-export-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const s3 = await anS3Server(() => test.clock.nowMs());
    s3.trouble = () => trouble;
    const lines: string[] = [];
    const config = parseConfig({
      SVC_STATUS_EXPORT_DIR: folder,
      SVC_STATUS_EXPORT_S3_URL: `${s3.origin}/${BUCKET}/pages`,
      SVC_STATUS_EXPORT_S3_ACCESS_KEY_ID: s3.account.accessKeyId,
      SVC_STATUS_EXPORT_S3_SECRET_ACCESS_KEY: s3.account.secretAccessKey,
    });
    await test.call("POST", "/api/status-pages", { slug: "shop", title: "Shop", isPublished: true });
    const log = pino({ level: "trace" }, { write: (line: string) => lines.push(line) });
    const job = startStatusExportJobs({ ...test.services, config, log });
    await expect.poll(() => readdir(join(folder, "shop")).catch(() => [])).toHaveLength(4);
    await expect.poll(() => s3.requests.length).toBeGreaterThan(0);
    if (!trouble) await expect.poll(() => [...s3.objects.keys()]).toContain("pages/shop/index.html");
    if (hasWarned) await expect.poll(() => lines.join()).toContain("403 AccessDenied");
    const closedFromMs = performance.now();
    await job.close();
    expect(performance.now() - closedFromMs).toBeLessThan(5_000);
    expect(lines.filter((line) => line.includes('"level":40'))).toHaveLength(hasWarned ? 1 : 0);
    for (const secret of [s3.account.secretAccessKey, s3.account.accessKeyId, "Signature="])
      expect(lines.join()).not.toContain(secret);
  },
);
