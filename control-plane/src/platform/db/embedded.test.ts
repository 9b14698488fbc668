import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { afterEach, describe, expect, it, vi } from "vitest";
import { isProcessAlive } from "../is-process-alive.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./embedded.ts";
import { isPostmasterOf, queryOnce, readPostmaster, stopPostmaster } from "./postmaster.ts";

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "svc-embedded-"));
  endings.push(async () => {
    // Whoever still serves this cluster, taken over or not.
    const left = readPostmaster(join(folder, "postgres"));
    if (left && isPostmasterOf(left.pid, join(folder, "postgres")))
      await stopPostmaster(left.pid, "immediate");
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return folder;
}

async function start(folder: string): Promise<EmbeddedPostgres> {
  const log = pino({ level: process.env.SVC_TEST_LOG_LEVEL ?? "silent" });
  const postgres = await startEmbeddedPostgres({ folder, log, initdbArguments: ["--no-sync"] });
  endings.push(() => postgres.stop("immediate"));
  return postgres;
}

/** Asks until it is answered: what a pool does, too. */
async function ask(postgres: EmbeddedPostgres, sql: string): Promise<Record<string, unknown> | undefined> {
  while (true) {
    try {
      return (await queryOnce(postgres.connection, sql)).rows[0];
    } catch {
      await sleep(50);
    }
  }
}

describe("startEmbeddedPostgres", () => {
  it("makes a UTF-8 cluster in a folder closed to others, without a TCP port, and ends it on stop", async () => {
    const folder = temporaryFolder();
    const postgres = await start(folder);
    const facts = await ask(
      postgres,
      `SELECT current_setting('server_encoding') AS encoding, current_setting('listen_addresses') AS addresses,
         current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS sync, current_setting('TimeZone') AS zone`,
    );
    expect(facts).toEqual({ encoding: "UTF8", addresses: "", fsync: "on", sync: "on", zone: "UTC" });
    for (const inside of ["postgres", "postgres-socket"])
      expect(statSync(join(folder, inside)).mode & 0o077).toBe(0);
    const { pid } = postgres;
    await postgres.stop();
    expect(isProcessAlive(pid)).toBe(false);
    expect(readPostmaster(join(folder, "postgres"))).toBeUndefined();
  });

  it("what was committed is there after the next start", async () => {
    const folder = temporaryFolder();
    const first = await start(folder);
    await ask(first, "CREATE TABLE kept AS SELECT 42 AS n");
    await first.stop();
    expect(await ask(await start(folder), "SELECT n FROM kept")).toEqual({ n: 42 });
  });

  it("a server that is killed comes back by itself, with what was committed", async () => {
    const postgres = await start(temporaryFolder());
    await ask(postgres, "CREATE TABLE kept AS SELECT 42 AS n");
    const { pid } = postgres;
    for (let i = 0; i < 2; i++) {
      process.kill(postgres.pid, "SIGKILL");
      expect(await ask(postgres, "SELECT n FROM kept")).toEqual({ n: 42 });
    }
    expect(postgres.pid).not.toBe(pid);
  });

  it("takes over the server that a killed control plane left, and brings that one back, too", async () => {
    const folder = temporaryFolder();
    const left = await start(folder);
    const taker = await start(folder);
    expect(taker.pid).toBe(left.pid);
    // The first supervisor is a stand-in for a dead process: it must not start the server again.
    const stopped = left.stop("immediate");
    expect(await ask(taker, "SELECT 1 AS n")).toEqual({ n: 1 });
    await stopped;
    expect(taker.pid).not.toBe(left.pid);
  });

  it("takes over, and never starts a second one, also when the folder is reached by another path", async () => {
    const folder = temporaryFolder();
    const left = await start(folder);
    const alias = `${folder}-alias`;
    symlinkSync(folder, alias);
    endings.push(() => rmSync(alias));
    const taker = await start(alias);
    expect(taker.pid).toBe(left.pid);
    expect(await ask(taker, "SELECT 1 AS n")).toEqual({ n: 1 });
  });

  it("a postmaster.pid whose number belongs to another process by now does not keep it from starting", async () => {
    const folder = temporaryFolder();
    await (await start(folder)).stop();
    const stale = [process.pid, join(folder, "postgres"), 1, 5432, folder, "", "", "ready"].join("\n");
    writeFileSync(join(folder, "postgres", "postmaster.pid"), stale, { mode: 0o600 });
    expect(await ask(await start(folder), "SELECT 1 AS n")).toEqual({ n: 1 });
  });

  it("a cluster that was left half made is made anew", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "postgres.unfinished", "base"), { recursive: true });
    expect(await ask(await start(folder), "SELECT 1 AS n")).toEqual({ n: 1 });
  });

  it("works in a folder whose path is too long for a socket", async () => {
    const folder = join(temporaryFolder(), "a-folder-with-a-long-name".repeat(5));
    mkdirSync(folder);
    const postgres = await start(folder);
    expect(await ask(postgres, "SELECT 1 AS n")).toEqual({ n: 1 });
    const socketFolder = String(postgres.connection.host);
    endings.unshift(() => rmSync(socketFolder, { recursive: true, force: true }));
    expect(Buffer.byteLength(`${socketFolder}/.s.PGSQL.5432`)).toBeLessThanOrEqual(107);
    expect(statSync(socketFolder).mode & 0o077).toBe(0);
  });

  it.runIf(process.getuid?.() === 0)(
    "as root where user namespaces are forbidden it runs under an unprivileged account",
    async () => {
      vi.stubEnv("PATH", "/nowhere/unshare-is-missing");
      endings.push(() => vi.unstubAllEnvs());
      const folder = temporaryFolder();
      const postgres = await start(folder);
      expect(await ask(postgres, "SELECT 1 AS n")).toEqual({ n: 1 });
      const cluster = statSync(join(folder, "postgres"));
      expect([cluster.uid === 0, cluster.mode & 0o777]).toEqual([false, 0o700]);
    },
  );

  it("PG variables of the user's environment change nothing", async () => {
    const foreign = { PGPORT: "1", PGDATA: "/nowhere", PGHOST: "example.invalid", PGSSLMODE: "require" };
    for (const [name, value] of Object.entries(foreign)) vi.stubEnv(name, value);
    endings.push(() => vi.unstubAllEnvs());
    expect(await ask(await start(temporaryFolder()), "SELECT 1 AS n")).toEqual({ n: 1 });
  });
});
