import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runSvc, testFolder } from "../../test-support/run-svc.ts";

const PAGE = join(import.meta.dirname, "../../../docs/cli.md");

it("the config that the documentation shows is valid", async () => {
  const [, example = ""] = /```yaml\n(project:.*?)```/s.exec(readFileSync(PAGE, "utf8")) ?? [];
  const folder = testFolder();
  writeFileSync(join(folder.path, "svc.config.yaml"), example);
  const env = { API_HOST: "api.example.com", SVC_SECRET_OPS_HOOK: "hook-1", API_TOKEN: "token-1" };
  const { code, stderr, stdout } = await runSvc(["validate"], { cwd: folder.path, env });
  folder.remove();
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain(
    "shop, 8 monitors, 7 alert rules, 2 channels, 1 third-party pattern, 2 SLOs, 1 alert policy, 1 rota, an incident policy, 1 status page, 1 maintenance window",
  );
});
