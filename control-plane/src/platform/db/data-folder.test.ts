import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DataFolderInUseError, holdDataFolder, keepSecret } from "./data-folder.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-folder-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("holdDataFolder", () => {
  it("refuses a second holder with one line that names the first, until it is released", () => {
    const first = holdDataFolder(folder);
    expect(() => holdDataFolder(folder)).toThrow(DataFolderInUseError);
    expect(() => holdDataFolder(folder)).toThrow(
      new RegExp(`process ${process.pid}.*SVC_DATA_DIR.*DATABASE_URL`),
    );
    first.release();
    holdDataFolder(folder).release();
  });

  it("a holder that was killed does not keep the folder", async () => {
    const script = `import { holdDataFolder } from ${JSON.stringify(new URL("./data-folder.ts", import.meta.url).href)};
      holdDataFolder(${JSON.stringify(folder)}); console.log("held"); setInterval(() => {}, 1000);`;
    const holder = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(holder.stdout, "data");
    expect(() => holdDataFolder(folder)).toThrow(DataFolderInUseError);
    holder.kill("SIGKILL");
    await once(holder, "exit");
    holdDataFolder(folder).release();
  });
});

describe("keepSecret", () => {
  it("makes a secret once, readable by its owner only", () => {
    const first = keepSecret(folder, "secret-key");
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(keepSecret(folder, "secret-key")).toBe(first);
    expect(readFileSync(join(folder, "secret-key"), "utf8")).toBe(`${first}\n`);
    expect(statSync(join(folder, "secret-key")).mode & 0o777).toBe(0o600);
  });
});
