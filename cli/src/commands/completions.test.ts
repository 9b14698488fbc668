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
    ["browser", "dns", "http", "mcp", "tcp", "tls"],
  ],
  [
    ["completions", ""],
    ["bash", "fish", "zsh"],
  ],
])("after %j come, among others, %j", async (words, expected) => {
  expect(await after(...words)).toEqual(expect.arrayContaining(expected));
});

it("words that can't follow are not offered", async () => {
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

it("a value of a global flag is no word of the command", async () => {
  const { stdout } = await runSvc(["complete", "--", "--api-url", "http://127.0.0.1:1", "monitors", "pau"]);
  expect(stdout.trim()).toBe("pause");
});
