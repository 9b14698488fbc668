import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { runSvc } from "../../test-support/run-svc.ts";

const after = async (...words: string[]) =>
  (await runSvc(["complete", "--", ...words])).stdout.trim().split("\n");

it.each([
  [[""], ["deploy", "init", "monitors", "validate"]],
  [["mon"], ["monitors"]],
  [
    ["monitors", ""],
    ["create", "list"],
  ],
  [["deploy", "--d"], ["--dry-run"]],
  [["--json", "deploy", "--p"], ["--prune"]],
  [
    ["init", "--type", ""],
    ["browser", "http", "mcp"],
  ],
  [
    ["completions", ""],
    ["bash", "fish", "zsh"],
  ],
])("after %j come, among others, %j", async (words, expected) => {
  expect(await after(...words)).toEqual(expect.arrayContaining(expected));
});

it("what can't follow is not offered", async () => {
  expect(await after("val")).toEqual(["validate"]);
  expect(await after("deploy", "x")).toEqual([""]);
});

it("a shell without completions is refused by name", async () => {
  const ran = await runSvc(["completions"], { env: { SHELL: "/bin/tcsh" } });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain("no completions for tcsh");
  expect((await runSvc(["completions"], { env: { SHELL: "/usr/bin/zsh" } })).stdout).toContain(
    "#compdef svc",
  );
});

it("bash completes words by the script", async () => {
  const { stdout: script } = await runSvc(["completions", "bash"]);
  const asked = `${script}
svc() { printf '%s\\n' "$*" >&2; echo validate; }
COMP_WORDS=(svc val) COMP_CWORD=1; _svc 2>/dev/null; echo "\${COMPREPLY[@]}"`;
  expect(spawnSync("bash", ["-c", asked], { encoding: "utf8" }).stdout.trim()).toBe("validate");
});
