import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";

/** Counts the threads of its own process once all of libuv's pool are started. */
const THREAD_COUNTER = `
import { pbkdf2 } from "node:crypto";
import { readdirSync } from "node:fs";
pbkdf2("a", "b", 1, 8, "sha256", () => console.log(readdirSync("/proc/self/task").length));
`;

/** Returns what the command prints when its main module is the counter. */
function threadsOf(environment: Record<string, string>): number {
  const folder = mkdtempSync(join(tmpdir(), "svc-bin-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "bin"));
  mkdirSync(join(folder, "dist"));
  copyFileSync(
    fileURLToPath(new URL("./svc-runner.cjs", import.meta.url)),
    join(folder, "bin/svc-runner.cjs"),
  );
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  writeFileSync(join(folder, "dist/main.js"), THREAD_COUNTER);
  const { stdout } = spawnSync(process.execPath, [join(folder, "bin/svc-runner.cjs")], {
    env: environment,
    encoding: "utf8",
  });
  return Number(stdout);
}

it.runIf(process.platform === "linux")("has 64 threads for lookups, or as many as asked for", () => {
  const few = threadsOf({ UV_THREADPOOL_SIZE: "2" });
  expect(threadsOf({}) - few).toBe(62);
});
