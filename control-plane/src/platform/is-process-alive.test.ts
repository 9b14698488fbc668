import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { isProcessAlive } from "./is-process-alive.ts";

it("is true for a process that runs, false once it has ended", async () => {
  const child = spawn("sleep", ["60"]);
  const pid = child.pid ?? 0;
  expect(isProcessAlive(pid)).toBe(true);
  child.kill();
  await once(child, "exit");
  expect(isProcessAlive(pid)).toBe(false);
  expect(isProcessAlive(Number.NaN)).toBe(false);
});

it.runIf(process.platform === "linux")("is false for one that nobody has collected yet", async () => {
  // The shell becomes a program that never waits for its child, which ends only then: the shell would wait.
  const parent = spawn("sh", ["-c", "sleep 60 & echo $!; exec sleep 61"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const pause = () => new Promise((resolve) => setTimeout(resolve, 10));
  const [line] = await once(parent.stdout, "data");
  const pid = Number(String(line));
  while (!readFileSync(`/proc/${parent.pid}/cmdline`, "utf8").startsWith("sleep")) await pause();
  process.kill(pid);
  while (isProcessAlive(pid)) await pause();
  expect(() => process.kill(pid, 0)).not.toThrow();
  parent.kill();
});
