/**
 * A service on Citus whose servers die, whose network breaks and whose shards move while results come in: each slot has
 * exactly one result. Starts a cluster of its own for each test, from an installed PostgreSQL that has Citus.
 */
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { ReplicatedServer } from "../../control-plane/test-support/replicated-servers.ts";
import { type CitusCluster, hasInstalledCitus, startCitusCluster } from "../harness/citus-cluster.ts";
import { type ControlPlane, untilReady } from "../harness/control-plane.ts";
import { auditOnceComplete, createChecks, createLocation, untilAllHaveResults } from "../harness/fleet.ts";
import { setUpTestStack } from "../harness/stack-of-test.ts";

const stack = setUpTestStack();

interface Service {
  cluster: CitusCluster;
  controlPlane: ControlPlane;
  checks: Awaited<ReturnType<typeof createChecks>>;
}

/** What happens to a service while results come in. */
interface Fault {
  begin(service: Service): unknown;
  /** Mends what broke. Default: nothing breaks, so that statements about all results are answered all the time. */
  end?(service: Service): unknown;
}

/** Longest that a statement may take which is answered while nothing is broken, ms. */
const ANSWERED_WITHIN_MS = 5_000;

/** Starts a service on a new cluster, with 50 checks that have results already. */
async function startService(knownWorkers: number): Promise<Service> {
  const cluster = await startCitusCluster({ knownWorkers });
  stack.atEnd(() => cluster.end());
  const controlPlane = await stack.controlPlane({ databaseUrl: cluster.coordinator.url });
  const { locationId, runnerKey } = await createLocation(controlPlane, "spread");
  stack.runner({ key: runnerKey, port: controlPlane.runnerPort });
  const checks = await createChecks(controlPlane, { count: 50, locationId, url: stack.target.url });
  await untilAllHaveResults(controlPlane, checks);
  expect(await countShards(cluster.coordinator)).toHaveLength(knownWorkers);
  return { cluster, controlPlane, checks };
}

/** Lets a fault happen for 10 s, ends it, and holds what is stored against the slots. */
async function expectEachSlotOnce(fault: Fault, knownWorkers: number = 2): Promise<void> {
  const service = await startService(knownWorkers);
  const { controlPlane, checks, cluster } = service;
  const fromMs = Date.now();
  await delay(3_000);
  await fault.begin(service);
  const statuses = await readStatuses(service);
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  expect(await answersAboutAllResults(cluster.coordinator)).toBe(fault.end === undefined);
  await delay(10_000);
  await fault.end?.(service);
  await untilReady(controlPlane);
  await delay(3_000);
  const audit = await auditOnceComplete(controlPlane, checks, { fromMs, toMs: Date.now() });
  expect(audit.expected).toBeGreaterThan(50);
  // A run may be no success: the target is in this process, which stands still while a server starts.
  expect(audit).toMatchObject({ missing: [], doubled: [], offGrid: [] });
}

/** Returns the statuses that reading each check's results has, in ascending order, each once. */
async function readStatuses({ controlPlane, checks }: Service): Promise<number[]> {
  const statuses = await Promise.all(
    checks.map(async ({ id }) => (await controlPlane.call("GET", `/api/checks/${id}/results`)).status),
  );
  return [...new Set(statuses)].sort((a, b) => a - b);
}

/** Returns the number of shards on each worker that has some. */
async function countShards(coordinator: ReplicatedServer): Promise<number[]> {
  const rows = await coordinator.query<{ count: number }>(
    "SELECT count(*)::integer AS count FROM citus_shards WHERE table_name = 'results'::regclass GROUP BY nodeport",
  );
  return rows.map(({ count }) => count);
}

/** True when the coordinator answers a statement that needs all workers. */
async function answersAboutAllResults(coordinator: ReplicatedServer): Promise<boolean> {
  const statement = `SET statement_timeout = ${ANSWERED_WITHIN_MS}; SELECT count(*) FROM results`;
  return coordinator.query(statement).then(
    () => true,
    () => false,
  );
}

describe.skipIf(!hasInstalledCitus())("on Citus (needs an installed Citus, see docs/citus.md)", () => {
  test(
    "a worker that is killed under load and started again costs and doubles no slot",
    () =>
      expectEachSlotOnce({
        begin: ({ cluster }) => cluster.workers[0].kill9(),
        end: ({ cluster }) => cluster.workers[0].start(),
      }),
    240_000,
  );

  test(
    "a coordinator that is killed under load and started again costs and doubles no slot",
    () =>
      expectEachSlotOnce({
        begin: ({ cluster }) => cluster.coordinator.kill9(),
        end: ({ cluster }) => cluster.coordinator.start(),
      }),
    240_000,
  );

  test(
    "connections between coordinator and worker that break cost and double no slot",
    () =>
      expectEachSlotOnce({
        begin: ({ cluster }) => cluster.network.setMode("refuse"),
        end: ({ cluster }) => cluster.network.setMode("up"),
      }),
    240_000,
  );

  test(
    "a network between coordinator and worker that swallows everything costs and doubles no slot",
    () =>
      expectEachSlotOnce({
        begin: ({ cluster }) => cluster.network.setMode("blackhole"),
        // What was swallowed is gone, so that the connections of before are of no use.
        end: ({ cluster }) => {
          cluster.network.setMode("refuse");
          cluster.network.setMode("up");
        },
      }),
    240_000,
  );

  test(
    "a worker that is added, to which shards move while results come in, costs and doubles no slot",
    () =>
      expectEachSlotOnce(
        {
          begin: async ({ cluster }) => {
            await cluster.addLastWorker();
            await cluster.coordinator.query(
              "SELECT citus_rebalance_start(shard_transfer_mode => 'force_logical')",
            );
            await cluster.coordinator.query("SELECT citus_rebalance_wait()");
            expect(await countShards(cluster.coordinator)).toEqual([2, 2]);
          },
        },
        1,
      ),
    240_000,
  );
});
