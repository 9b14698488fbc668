import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  debianPrograms,
  type ReplicatedServer,
  type ReplicatedServers,
  startReplicatedServers,
} from "../../../test-support/replicated-servers.ts";
import { isDatabaseUnavailable } from "../../platform/db/errors.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { openPool } from "../../platform/db/pool.ts";
import { ensurePartitions } from "../retention/partitions.ts";
import { appendResult, emptyColumns } from "./columns.ts";
import { writeGroup } from "./write-group.ts";

const PATIENCE = { timeout: 60_000, interval: 50 };

describe.skipIf(!debianPrograms())("results on a primary with a synchronous standby", () => {
  let servers: ReplicatedServers;
  let standby: ReplicatedServer;
  beforeAll(async () => {
    servers = await startReplicatedServers();
    standby = await servers.addStandby("second");
    await servers.primary.query("ALTER SYSTEM SET synchronous_standby_names = 'second'");
    await servers.primary.query("SELECT pg_reload_conf()");
    await migrate(servers.primary.url);
  });
  afterAll(() => servers?.end(), 60_000);

  const waiting = () =>
    servers.primary.query<{ pid: number }>("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'");

  it("that are sent again are not confirmed before the standby has them", { timeout: 120_000 }, async () => {
    const knex = openPool(servers.primary.url, { poolMax: 2 });
    const slotMs = Date.now();
    await ensurePartitions(knex, slotMs, slotMs);
    const columns = emptyColumns();
    appendResult(columns, aSuccess(slotMs), 1);
    const write = () => writeGroup(knex, { columns, details: [], facts: [] }, { bucketsMs: [] });

    standby.stop("immediate");
    const first = write().catch((error: unknown) => error);
    await expect.poll(waiting, PATIENCE).toHaveLength(1);
    const [{ pid } = { pid: 0 }] = await waiting();
    await servers.primary.query("SELECT pg_cancel_backend($1)", [pid]);
    expect(isDatabaseUnavailable(await first)).toBe(true);
    expect(await servers.primary.query("SELECT slot_ms FROM results")).toHaveLength(1);

    let confirmed: unknown;
    const second = write().then((stored) => {
      confirmed = stored;
    });
    await expect.poll(async () => confirmed ?? (await waiting()).length, PATIENCE).toBe(1);
    standby.start();
    await second;
    expect(confirmed).toEqual(new Set());
    expect(await standby.query("SELECT slot_ms::text AS slot FROM results")).toEqual([
      { slot: String(slotMs) },
    ]);
    await knex.destroy();
  });
});

function aSuccess(slotMs: number): Parameters<typeof appendResult>[1] {
  return {
    checkKey: 1,
    locationKey: 1,
    slotMs,
    startDelayMs: 0,
    elapsedUs: 1_000,
    status: "success",
    httpStatusCode: 200,
    responseTimeUs: 1_000,
    dnsLookupUs: -1,
    tcpConnectUs: -1,
    tlsHandshakeUs: -1,
    ttfbUs: -1,
    contentTransferUs: -1,
    traceId: "",
  };
}
