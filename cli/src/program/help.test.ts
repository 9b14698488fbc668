import { expect, it } from "vitest";
import { runSvc } from "../../test-support/run-svc.ts";
import { COMMANDS } from "./registry.ts";

it.each([[["--help"]], [["monitors"]], [["help", "status"]], [["status", "--help"]], [[]]])(
  "%j in --json is one object, too",
  async (args) => {
    const ran = await runSvc([...args, "--json"]);
    expect([ran.code, ran.json()]).toEqual([
      0,
      { ok: true, data: { help: expect.stringContaining("Usage: svc") } },
    ]);
  },
);

it("the help of every command lists the global flags, help and version among them", async () => {
  for (const { path, summary } of COMMANDS) {
    if (summary === "") continue;
    const { stdout } = await runSvc([...path.split(" "), "--help"]);
    const [, global = ""] = stdout.split("Global options:");
    for (const flags of [
      "--json",
      "--quiet",
      "--no-color",
      "--verbose",
      "--api-url <url>",
      "-h, --help",
      "-V, --version",
    ])
      expect([path, global]).toEqual([path, expect.stringContaining(flags)]);
  }
});

it("svc --help lists every command once, under a topic", async () => {
  const { stdout } = await runSvc(["--help"]);
  for (const { path, summary } of COMMANDS) {
    if (summary === "") continue;
    const line = new RegExp(`^  ${path} {2,}${summary.replace(/[()]/g, "\\$&")}$`, "gm");
    expect([path, stdout.match(line)?.length]).toEqual([path, 1]);
  }
  expect(stdout).toMatch(/Monitors as code:[\s\S]*Account and tools:[\s\S]*Global options:/);
});
