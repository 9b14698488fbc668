/** The exports that the tests of `svc import` are given are ones that the tools themselves accept, where this machine has them. */
import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BLACKBOX_JOBS, BLACKBOX_MODULES } from "../../as-code/test-support/exports/blackbox.ts";
import { testFolder } from "../../cli/test-support/run-svc.ts";

const EXPORTER = "prometheus-blackbox-exporter";
const hasTools = [EXPORTER, "promtool"].every((tool) => spawnSync(tool, ["--version"]).status === 0);
const title = hasTools
  ? ""
  : " (skipped: Debian's packages prometheus and prometheus-blackbox-exporter have them)";

test.skipIf(!hasTools)(`blackbox_exporter and Prometheus accept the files${title}`, () => {
  const folder = testFolder();
  const write = (name: string, text: string) => {
    writeFileSync(join(folder.path, name), text);
    return join(folder.path, name);
  };
  const modules = write("blackbox.yml", BLACKBOX_MODULES);
  expect(spawnSync(EXPORTER, ["--config.check", `--config.file=${modules}`]).status).toBe(0);
  const jobs = write("prometheus.yml", BLACKBOX_JOBS);
  expect(execFileSync("promtool", ["check", "config", jobs], { encoding: "utf8" })).toContain("SUCCESS");
  folder.remove();
});
