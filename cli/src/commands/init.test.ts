import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runSvc, testFolder } from "../../test-support/run-svc.ts";

let folder: ReturnType<typeof testFolder>;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

it("asks for the URL in a terminal; Ctrl+C ends the question like any other", async () => {
  const ran = await runSvc(["init"], {
    cwd: folder.path,
    isTty: true,
    answer: " https://a.example.com/ ",
    env: { NO_COLOR: "1" },
  });
  expect(ran).toMatchObject({ code: 0, stdout: "wrote svc.config.yaml\n" });
  expect(readFileSync(join(folder.path, "svc.config.yaml"), "utf8")).toContain("url: https://a.example.com/");
});

it("asks for no URL where the monitor has none, and names it after the project", async () => {
  const ran = await runSvc(["init", "--type", "heartbeat", "--name", "backup", "--json"], {
    cwd: folder.path,
  });
  expect(ran.code).toBe(0);
  const config = readFileSync(join(folder.path, "svc.config.yaml"), "utf8");
  expect(config).toContain("name: backup");
  expect(config).toContain("period: 1d");
  expect((await runSvc(["validate", "--json"], { cwd: folder.path })).code).toBe(0);
});

it("requires --url where nobody can be asked, and writes nothing without it", async () => {
  const ran = await runSvc(["init", "--json"], {
    cwd: folder.path,
    isTty: true,
    answer: "https://a.example.com",
  });
  expect(ran.code).toBe(1);
  expect(ran.json().error).toMatchObject({ code: "general_error", details: { exitCode: 1 } });
  expect(existsSync(join(folder.path, "svc.config.yaml"))).toBe(false);
});
