import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  debianPrograms,
  type ReplicatedServer,
  type ReplicatedServers,
  startReplicatedServers,
} from "../../../test-support/replicated-servers.ts";
import { DatabaseServers, NoServerError } from "./database-servers.ts";
import { isDatabaseUnavailable } from "./errors.ts";
import { openPool } from "./pool.ts";

const PATIENCE = { timeout: 60_000, interval: 50 };

let servers: ReplicatedServers;
let standby: ReplicatedServer;
beforeEach(async () => {
  servers = await startReplicatedServers();
  standby = await servers.addStandby("second");
});
afterEach(() => servers.end(), 60_000);

/** URL of both servers, the standby first. */
const bothUrl = () => `postgres://postgres@${standby.address},${servers.primary.address}/shop`;

describe.skipIf(!debianPrograms())("a database with two servers", () => {
  it("is written to at the primary, wherever it stands in the URL, and follows a promotion", {
    timeout: 120_000,
  }, async () => {
    const { primary } = servers;
    const known = DatabaseServers.of(bothUrl());
    const [pool, other] = [openPool(known, { poolMax: 2 }), openPool(known, { poolMax: 2 })];
    await pool.raw("CREATE TABLE rows (id integer PRIMARY KEY)");
    await other.raw("INSERT INTO rows VALUES (1)");
    expect(known.presentName).toBe(primary.address);
    await caughtUp(primary, standby);

    await primary.kill9();
    expect(isDatabaseUnavailable(await pool.raw("INSERT INTO rows VALUES (2)").catch((e) => e))).toBe(true);
    const refusal = await known.connect({}).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(NoServerError);
    expect(isDatabaseUnavailable(refusal)).toBe(true);
    expect((refusal as Error).message).toContain(`${standby.address} (is a standby)`);
    expect((refusal as Error).message).toContain(`${primary.address} (connect ECONNREFUSED`);

    standby.promote();
    await expect
      .poll(() => other.raw("INSERT INTO rows VALUES (3)").then(() => true, String), PATIENCE)
      .toBe(true);
    expect(await standby.query("SELECT id FROM rows ORDER BY id")).toEqual([{ id: 1 }, { id: 3 }]);
    await Promise.all([pool.destroy(), other.destroy()]);
  });

  it("is not written to at a primary of the past, which comes back and still takes writes", {
    timeout: 120_000,
  }, async () => {
    const { primary } = servers;
    const known = DatabaseServers.of(`postgres://postgres@${primary.address},${standby.address}/shop`);
    const pool = openPool(known, { poolMax: 3 });
    await pool.raw("CREATE TABLE rows (id integer PRIMARY KEY)");
    await caughtUp(primary, standby);
    // The old primary lives on, cut off from nobody: what an operator's fencing has to prevent.
    const held = await known.connect({});
    standby.promote();
    await known.look();
    expect(known.presentName).toBe(standby.address);
    await expect(held.query("INSERT INTO rows VALUES (1)")).rejects.toThrow(/terminated|not queryable/);
    await pool.raw("INSERT INTO rows VALUES (2)");
    expect(await primary.query("SELECT id FROM rows")).toEqual([]);

    // A process that starts anew with both takes the newer one, too.
    const fresh = DatabaseServers.of(`postgres://postgres@${primary.address},${standby.address}/shop`);
    await (await fresh.connect({})).end();
    expect(fresh.presentName).toBe(standby.address);
    standby.stop("immediate");
    const refusal = await known.connect({}).catch((error: unknown) => error);
    expect((refusal as Error).message).toContain(
      `${primary.address} (is a primary of the past (timeline 1, and timeline 2`,
    );
    await pool.destroy();
  });

  it("drops a connection whose server has become read-only", { timeout: 120_000 }, async () => {
    const { primary } = servers;
    const pool = openPool(bothUrl(), { poolMax: 1 });
    const backend = async () => (await pool.raw("SELECT pg_backend_pid() AS pid")).rows[0].pid;
    await pool.raw("CREATE TABLE rows (id integer PRIMARY KEY)");
    const before = await backend();
    await primary.query("ALTER SYSTEM SET default_transaction_read_only = on");
    await primary.query("SELECT pg_reload_conf()");
    await expect
      .poll(
        () =>
          pool.raw("INSERT INTO rows VALUES (1)").then(
            () => "written",
            (error) => error.code,
          ),
        PATIENCE,
      )
      .toBe("25006");
    const refusal = await pool.raw("INSERT INTO rows VALUES (2)").catch((error: unknown) => error);
    expect((refusal as Error).message).toContain(`${primary.address} (is read-only)`);
    await primary.query("ALTER SYSTEM RESET default_transaction_read_only");
    await primary.query("SELECT pg_reload_conf()");
    await expect
      .poll(
        () =>
          pool.raw("INSERT INTO rows VALUES (3)").then(
            () => true,
            () => false,
          ),
        PATIENCE,
      )
      .toBe(true);
    expect(await backend()).not.toBe(before);
    await pool.destroy();
  });

  it("refuses a server that is another cluster", { timeout: 120_000 }, async () => {
    const stranger = await servers.addStranger();
    const known = DatabaseServers.of(
      `postgres://postgres@${servers.primary.address},${stranger.address}/shop`,
    );
    await (await known.connect({})).end();
    servers.primary.stop("immediate");
    await expect(known.connect({})).rejects.toThrow(/is another database cluster/);
  });

  it("does not count a commit that its standby never confirmed, though the server does", {
    timeout: 120_000,
  }, async () => {
    const { primary } = servers;
    const pool = openPool(bothUrl(), { poolMax: 2 });
    await pool.raw("CREATE TABLE rows (id integer PRIMARY KEY)");
    await primary.query("ALTER SYSTEM SET synchronous_standby_names = 'second'");
    await primary.query("SELECT pg_reload_conf()");
    await expect.poll(() => syncStandbys(primary), PATIENCE).toBe(1);
    await pool.raw("INSERT INTO rows VALUES (1)");
    standby.stop("immediate");
    const outcomes = [
      pool.raw("INSERT INTO rows VALUES (2)"),
      pool.transaction((trx) => trx.raw("INSERT INTO rows VALUES (3)")),
    ].map((write) =>
      write.then(
        () => "counted",
        (error: unknown) => isDatabaseUnavailable(error),
      ),
    );
    await expect.poll(() => waiting(primary), PATIENCE).toHaveLength(2);
    for (const { pid } of await waiting(primary)) await primary.query("SELECT pg_cancel_backend($1)", [pid]);
    expect(await Promise.all(outcomes)).toEqual([true, true]);
    expect(await primary.query("SELECT id FROM rows ORDER BY id")).toHaveLength(3);
    await pool.destroy();
  });
});

/** Waits until the standby has all that the primary has. */
async function caughtUp(primary: ReplicatedServer, standby: ReplicatedServer): Promise<void> {
  const [at] = await primary.query<{ lsn: string }>("SELECT pg_current_wal_flush_lsn()::text AS lsn");
  await expect
    .poll(
      async () =>
        (
          await standby.query<{ yes: boolean }>("SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS yes", [
            at?.lsn,
          ])
        )[0]?.yes,
      PATIENCE,
    )
    .toBe(true);
}

async function syncStandbys(primary: ReplicatedServer): Promise<number> {
  return (await primary.query("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")).length;
}

function waiting(primary: ReplicatedServer): Promise<{ pid: number }[]> {
  return primary.query("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
}
