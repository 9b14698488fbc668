import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { DriverProcess } from "./driver-process.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-driver-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A driver that says it is ready, and then ends in the given way. */
async function endOf(ending: string, machineKills: readonly [before: number, after: number]) {
  const entry = join(folder, "driver.cjs");
  const ready = JSON.stringify({ type: "ready", browserVersion: "1" });
  writeFileSync(
    entry,
    `require("node:fs").writeSync(3, ${JSON.stringify(`${ready}\n`)}); setTimeout(() => { ${ending} }, 50);`,
  );
  const counts = [...machineKills];
  const driver = await DriverProcess.start({
    entry,
    browser: { executablePath: "/nowhere", source: "system", ffmpegPath: undefined, ffmpegFolder: "ffmpeg" },
    bwrapPath: undefined,
    privateFolders: [],
    limits: { memoryBytesMax: 512 * 1024 * 1024, processesMax: 50 },
    lanes: 0,
    isForScripts: true,
    readyMsMax: 30_000,
    countMemoryKills: () => counts.shift() as number,
  });
  return driver.ended;
}

const KILLED = "process.kill(process.pid, 'SIGKILL')";

it("a driver that the kernel ended when the machine ran out of memory says so", async () => {
  expect(await endOf(KILLED, [3, 4])).toMatchObject({ cause: "host_memory" });
});

it.each([
  ["was ended while the machine had memory", KILLED, [3, 3]],
  ["ended by itself while another process was ended for memory", "process.exit(1)", [3, 4]],
] as const)("a driver that %s is no matter of memory", async (_, ending, kills) => {
  expect(await endOf(ending, kills)).toMatchObject({ cause: "exited" });
});
