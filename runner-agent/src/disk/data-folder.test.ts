import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DataFolderError, openDataFolder } from "./data-folder.ts";

describe("the data folder", () => {
  let folder: string;
  const ignoreLoss = () => {};

  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), "svc-folder-")), "data");
  });
  afterEach(() => {
    rmSync(join(folder, ".."), { recursive: true });
  });

  it("is made for its owner only, and gives the same identity after a restart", async () => {
    const first = await openDataFolder(folder, Date.now, ignoreLoss);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    first.release();
    const second = await openDataFolder(folder, Date.now, ignoreLoss);
    second.release();
    expect(second.runnerUuid).toBe(first.runnerUuid);
    expect(first.runnerUuid).toMatch(/^[0-9a-f-]{36}$/);
  });

  // Without /proc a pid is known to live or not, but not whose it is.
  const onLinux = it.runIf(process.platform === "linux");

  onLinux("refuses a second process while the first lives, in one line that names both", async () => {
    const child = spawn("sleep", ["600"]);
    await once(child, "spawn");
    const mine = await openDataFolder(folder, Date.now, ignoreLoss);
    const lock = JSON.parse(readFileSync(join(folder, "lock"), "utf8"));
    mine.release();
    const stat = readFileSync(`/proc/${child.pid}/stat`, "utf8");
    const startTicks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    writeFileSync(join(folder, "lock"), JSON.stringify({ ...lock, pid: child.pid, startTicks }));
    const attempt = openDataFolder(folder, Date.now, ignoreLoss);
    await expect(attempt).rejects.toThrow(DataFolderError);
    await expect(attempt).rejects.toThrow(
      new RegExp(`^the data folder ${folder} .*process ${child.pid}[^\\n]*$`),
    );
    child.kill("SIGKILL");
    await once(child, "exit");
    (await openDataFolder(folder, Date.now, ignoreLoss)).release();
  });

  onLinux.each([
    ["of a process that was killed", (lock: object) => JSON.stringify({ ...lock, pid: 2 ** 22 - 1 })],
    [
      "whose pid now belongs to another process",
      (lock: object) => JSON.stringify({ ...lock, pid: 1, startTicks: "1" }),
    ],
    ["that was written by halves", () => '{"token":'],
  ])("takes over a lock %s", async (_name, stale) => {
    const first = await openDataFolder(folder, Date.now, ignoreLoss);
    const lock = JSON.parse(readFileSync(join(folder, "lock"), "utf8"));
    first.release();
    writeFileSync(join(folder, "lock"), stale(lock));
    (await openDataFolder(folder, Date.now, ignoreLoss)).release();
  });

  it("does not remove the lock of a process that took it over", async () => {
    const first = await openDataFolder(folder, Date.now, ignoreLoss);
    writeFileSync(join(folder, "lock"), '{"token":"another"}');
    first.release();
    expect(readFileSync(join(folder, "lock"), "utf8")).toContain("another");
  });

  it("that can't be made is reported in one line", async () => {
    writeFileSync(join(folder, "..", "file"), "");
    await expect(openDataFolder(join(folder, "..", "file", "data"), Date.now, ignoreLoss)).rejects.toThrow(
      /^can't make the data folder .*ENOTDIR/,
    );
  });
});
