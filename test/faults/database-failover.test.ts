import { phaseMs } from "@svc/contract";
import type { Knex } from "knex";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openPool } from "../../control-plane/src/platform/db/pool.ts";
import {
  aBatch,
  aCheck,
  aTeam,
  type TestCheck,
  type TestTeam,
} from "../../control-plane/test-support/fleet.ts";
import {
  debianPrograms,
  type ReplicatedServer,
  type ReplicatedServers,
  startReplicatedServers,
} from "../../control-plane/test-support/replicated-servers.ts";
import { connectAgent, type TestAgent } from "../../control-plane/test-support/test-agent.ts";
import type { ControlPlane } from "../harness/control-plane.ts";
import { untilReady } from "../harness/control-plane.ts";
import { auditOnceComplete, createChecks, createLocation, untilAllHaveResults } from "../harness/fleet.ts";
import { setUpTestStack } from "../harness/stack-of-test.ts";
import { until } from "../harness/wait.ts";

const stack = setUpTestStack();
let servers: ReplicatedServers;
let standby: ReplicatedServer;
beforeEach(async () => {
  servers = await startReplicatedServers();
  standby = await servers.addStandby("second");
});
afterEach(() => servers?.end(), 60_000);

const bothUrl = () => `postgres://postgres@${servers.primary.address},${standby.address}/shop`;
const environment = { LOG_LEVEL: "info" };

describe.skipIf(!debianPrograms())("a database with a standby", () => {
  test("that is synchronous loses no acknowledged result when it is promoted, and the primary of the past gets none", async () => {
    const { primary } = servers;
    await setSynchronous(primary);
    const controlPlane = await stack.controlPlane({ databaseUrl: bothUrl(), environment });
    await until("the log says what a failover loses", () =>
      controlPlane.process.output().includes("acknowledged results survive a failover"),
    );
    expect(await metric(controlPlane, "svc_database_survives_failover")).toBe(1);
    const { locationId, runnerKey } = await createLocation(controlPlane, "steady");
    stack.runner({ key: runnerKey, port: controlPlane.runnerPort });
    const checks = await createChecks(controlPlane, { count: 20, locationId, url: stack.target.url });
    await untilAllHaveResults(controlPlane, checks);
    const stream = await startStream(controlPlane, primary);
    await until("results flow", () => stream.acknowledged.length >= 20);

    const fromMs = Date.now();
    const diedAtMs = performance.now();
    await primary.kill9();
    standby.promote();
    const acknowledgedBefore = stream.acknowledged.length;
    await untilReady(controlPlane);
    await until("results are stored again", () => stream.acknowledged.length >= acknowledgedBefore + 20);
    console.log(`served again ${Math.round(performance.now() - diedAtMs)} ms after the primary died`);
    expect(controlPlane.process.hasEnded()).toBe(false);
    expect(await stream.missingAt(standby)).toEqual([]);

    // The primary of the past starts again by mistake, and takes writes.
    primary.start();
    const pastCount = await countResults(primary);
    await until("the log says that two servers take writes", () =>
      controlPlane.process.output().includes("several servers of the database take writes"),
    );
    const between = stream.acknowledged.length;
    await until("results are stored", () => stream.acknowledged.length >= between + 20);
    await controlPlane.process.stop();
    await controlPlane.restart();
    await controlPlane.ok("POST", "/api/checks", {
      name: "after the restart",
      type: "http",
      frequencySeconds: 3600,
      enabled: false,
      locations: [locationId],
      httpConfig: { url: stack.target.url },
    });
    expect(await standby.query("SELECT 1 FROM checks WHERE name = 'after the restart'")).toHaveLength(1);
    expect(await primary.query("SELECT 1 FROM checks WHERE name = 'after the restart'")).toEqual([]);
    expect(await countResults(primary)).toBe(pastCount);
    expect(await stream.missingAt(standby)).toEqual([]);

    // Two slots of each check: the failover may have been over before each had its first.
    const audit = await auditOnceComplete(controlPlane, checks, { fromMs, toMs: fromMs + 20_000 });
    expect(audit.expected).toBe(40);
    expect(audit).toMatchObject({ missing: [], doubled: [], offGrid: [] });
    await stream.end();
  });

  test("that is asynchronous may lose results, and the log says so beforehand; the service goes on", async () => {
    const { primary } = servers;
    const controlPlane = await stack.controlPlane({ databaseUrl: bothUrl(), environment });
    await until("the log says what a failover loses", () =>
      controlPlane.process
        .output()
        .includes("results acknowledged in the last moments before a failover may be lost"),
    );
    expect(await metric(controlPlane, "svc_database_survives_failover")).toBe(0);
    const stream = await startStream(controlPlane, primary);
    await until("results flow", () => stream.acknowledged.length >= 5);
    // The standby is not sent what comes now.
    await standby.query("ALTER SYSTEM SET primary_conninfo = ''");
    await standby.query("SELECT pg_reload_conf()");
    await until(
      "the standby is cut off",
      async () => (await primary.query("SELECT 1 FROM pg_stat_replication")).length === 0,
    );
    const before = stream.acknowledged.length;
    await until("results flow", () => stream.acknowledged.length >= before + 5);
    await primary.kill9();
    standby.promote();
    const atPromotion = stream.acknowledged.length;
    await until("results are stored again", () => stream.acknowledged.length >= atPromotion + 5);
    expect((await stream.missingAt(standby)).length).toBeGreaterThan(0);
    await stream.end();
  });

  test("that is rebuilt from the promoted server is no target of writes, and takes over in its turn", async () => {
    const { primary } = servers;
    await setSynchronous(primary);
    const databaseUrl = bothUrl();
    const controlPlane = await stack.controlPlane({
      databaseUrl: `${databaseUrl}?target_session_attrs=primary`,
      environment,
    });
    await primary.kill9();
    standby.promote();
    await untilReady(controlPlane);
    // As an operator would: the old primary's address gets a copy of the new one.
    const rebuilt = await servers.addStandby("primary_again", standby, primary);
    await setSynchronous(standby, "primary_again");
    const { locationId } = await createLocation(controlPlane, "here");
    expect(await rebuilt.query("SELECT 1 FROM locations WHERE id = $1", [locationId])).toHaveLength(1);
    await standby.kill9();
    rebuilt.promote();
    await untilReady(controlPlane);
    await until(
      "the service writes again",
      async () => (await controlPlane.call("POST", "/api/locations", { name: "there" })).status < 300,
    );
    expect(
      await rebuilt.query("SELECT 1 FROM locations WHERE display_name = 'there' OR name = 'there'"),
    ).toHaveLength(1);
  });
});

/** Has commits wait for the standby, and waits until it is there. */
async function setSynchronous(primary: ReplicatedServer, name = "second"): Promise<void> {
  await primary.query(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
  await primary.query("SELECT pg_reload_conf()");
  await until(
    "the standby is synchronous",
    async () =>
      (await primary.query("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")).length === 1,
  );
}

async function metric(controlPlane: ControlPlane, name: string): Promise<number> {
  const text = await (await fetch(`${controlPlane.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (.+)$`, "m").exec(text)?.[1]);
}

async function countResults(server: ReplicatedServer): Promise<number> {
  const [row] = await server.query<{ count: number }>("SELECT count(*)::integer AS count FROM results");
  return row?.count ?? 0;
}

/** Results of a batch. */
const ROWS = 20;
/** Batches that wait for their acknowledgement at a time. */
const IN_FLIGHT = 8;

/** Streams batches of results without a pause, as an agent with a full spool does, and keeps what was acknowledged. */
async function startStream(controlPlane: ControlPlane, primary: ReplicatedServer) {
  const knex = openPool(primary.url, { poolMax: 1 });
  const team: TestTeam = await aTeam(knex);
  const checks = await checksOf(knex, team);
  await knex.destroy();
  const agent: TestAgent = connectAgent(`http://127.0.0.1:${controlPlane.runnerPort}`, team.runnerSecret);
  await agent.next("snapshot", (snapshot) => snapshot.last);
  const acknowledged: { checkKey: number; slotMs: number }[][] = [];
  const newestMs = Math.floor(Date.now() / 10_000) * 10_000 - 60_000;
  let isEnding = false;
  const rowsOf = (seq: number) =>
    checks.map(({ key, phaseMs }) => ({
      checkKey: key,
      locationKey: team.locationKey,
      slotMs: newestMs - seq * 10_000 + phaseMs,
    }));
  const send = async (first: number) => {
    for (let seq = first; !isEnding; seq += IN_FLIGHT) {
      agent.send({ case: "resultBatch", value: aBatch(seq, rowsOf(seq)) });
      const ack = await agent.next("ack", (got) => got.seq === BigInt(seq));
      if (ack.rejections.length > 0) throw new Error(`rejected: ${JSON.stringify(ack.rejections[0])}`);
      acknowledged.push(rowsOf(seq));
    }
  };
  const running = Promise.race([
    Promise.all(Array.from({ length: IN_FLIGHT }, (_, i) => send(i + 1))),
    agent.ended,
  ]);
  running.catch(() => undefined);
  return {
    acknowledged,
    /** Returns the acknowledged results that a server lacks. */
    missingAt: async (server: ReplicatedServer) => {
      const rows = acknowledged.flat();
      return server.query<{ slot: string }>(
        `SELECT u.c, u.s FROM unnest($1::bigint[], $2::bigint[]) AS u (c, s)
         WHERE (SELECT count(*) FROM results r WHERE r.check_key = u.c AND r.slot_ms = u.s) <> 1`,
        [rows.map(({ checkKey }) => checkKey), rows.map(({ slotMs }) => slotMs)],
      );
    },
    end: async () => {
      isEnding = true;
      agent.kill();
      await running.catch(() => undefined);
    },
  };
}

async function checksOf(knex: Knex, team: TestTeam): Promise<{ key: number; phaseMs: number }[]> {
  const checks: { key: number; phaseMs: number }[] = [];
  for (let i = 0; i < ROWS; i++) {
    const check: TestCheck = await aCheck(knex, team, { frequencySeconds: 10 });
    checks.push({ key: check.key, phaseMs: phaseMs(check.id, 10) });
  }
  return checks;
}
