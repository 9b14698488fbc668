import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { expect, it, vi } from "vitest";
import { checkSandbox } from "./sandbox.ts";
import { measureTree } from "./watchdog.ts";

const { bwrapPath } = checkSandbox();
const MIB = 1024 * 1024;

it.runIf(bwrapPath !== undefined).each(["/tmp", "/dev/shm"])(
  "files that a box keeps in its memory at %s count",
  async (folder) => {
    const box = ["--unshare-user", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"];
    const work = `head -c ${64 * MIB} /dev/zero > ${folder}/file; exec sleep 60`;
    const child = spawn(
      bwrapPath as string,
      [...box, "--tmpfs", folder, "--die-with-parent", "--", "/bin/sh", "-c", work],
      { stdio: "ignore" },
    );
    try {
      await vi.waitFor(
        () => expect(measureTree(child.pid as number).residentBytes).toBeGreaterThan(64 * MIB),
        10_000,
      );
    } finally {
      child.kill("SIGKILL");
    }
  },
);

it.runIf(existsSync("/proc/self/status"))("this process's own memory counts, its programs do not", () => {
  const { processes, residentBytes } = measureTree(process.pid);
  expect(processes).toBeGreaterThanOrEqual(1);
  expect(residentBytes).toBeGreaterThan(10 * MIB);
});
