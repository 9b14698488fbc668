/** A service on Citus whose servers die and whose network breaks: each slot has exactly one result. Needs an installed Citus, see docs/citus.md. */
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { type CitusCluster, hasInstalledCitus, startCitusCluster } from "../harness/citus-cluster.ts";
import { type ControlPlane, untilReady } from "../harness/control-plane.ts";
import { auditOnceComplete, createChecks, createLocation, untilAllHaveResults } from "../harness/fleet.ts";
import { setUpTestStack } from "../harness/stack-of-test.ts";
import { until } from "../harness/wait.ts";

const stack = setUpTestStack();
const onCitus = test.skipIf(!hasInstalledCitus());

interface Service {
  cluster: CitusCluster;
  controlPlane: ControlPlane;
  checks: Awaited<ReturnType<typeof createChecks>>;
}

/** Starts a service on a new cluster, with 50 checks that have results already. */
async function startService(): Promise<Service> {
  const cluster = await startCitusCluster();
  stack.atEnd(() => cluster.end());
  const controlPlane = await stack.controlPlane({ databaseUrl: cluster.coordinator.url });
  const { locationId, runnerKey } = await createLocation(controlPlane, "spread");
  stack.runner({ key: runnerKey, port: controlPlane.runnerPort });
  const checks = await createChecks(controlPlane, { count: 50, locationId, url: stack.target.url });
  await untilAllHaveResults(controlPlane, checks);
  return { cluster, controlPlane, checks };
}

/** Breaks something while results come in, mends it, and holds what is stored against the slots. */
async function expectEachSlotOnce(
  { controlPlane, checks }: Service,
  fault: { break: () => unknown; mend: () => unknown },
): Promise<void> {
  const fromMs = Date.now();
  await delay(3_000);
  await fault.break();
  await delay(10_000);
  await fault.mend();
  await untilReady(controlPlane);
  await delay(3_000);
  const audit = await auditOnceComplete(controlPlane, checks, { fromMs, toMs: Date.now() });
  expect(audit.expected).toBeGreaterThan(50);
  expect(audit).toMatchObject({ missing: [], doubled: [], offGrid: [], unsuccessful: [] });
}

onCitus(
  "a worker that is killed under load and started again costs no slot",
  async () => {
    const service = await startService();
    const [worker] = service.cluster.workers;
    await expectEachSlotOnce(service, { break: () => worker.kill9(), mend: () => worker.start() });
  },
  180_000,
);

onCitus(
  "a coordinator that is killed under load and started again costs no slot",
  async () => {
    const service = await startService();
    const { coordinator } = service.cluster;
    await expectEachSlotOnce(service, { break: () => coordinator.kill9(), mend: () => coordinator.start() });
  },
  180_000,
);

onCitus(
  "a network that breaks between coordinator and worker costs no slot",
  async () => {
    const service = await startService();
    const { network } = service.cluster;
    await expectEachSlotOnce(service, {
      break: () => network.setMode("refuse"),
      mend: () => network.setMode("up"),
    });
  },
  180_000,
);

onCitus(
  "shards that move to another worker while results come in cost no slot",
  async () => {
    const service = await startService();
    const { coordinator } = service.cluster;
    const shardsOf = () =>
      coordinator.query<{ node: string; count: number }>(
        "SELECT nodeport AS node, count(*)::integer AS count FROM citus_shards GROUP BY 1 ORDER BY 1",
      );
    const before = await shardsOf();
    await expectEachSlotOnce(service, {
      break: () =>
        coordinator.query(
          `SELECT citus_move_shard_placement(shardid, nodename, nodeport, other.name, other.port, 'force_logical')
           FROM citus_shards s
           CROSS JOIN LATERAL (SELECT nodename AS name, nodeport AS port FROM pg_dist_node n
             WHERE n.nodeport <> s.nodeport AND n.shouldhaveshards) other
           WHERE s.table_name = 'results'::regclass ORDER BY shardid LIMIT 1`,
        ),
      mend: () => undefined,
    });
    await until(
      "the shards have moved",
      async () => JSON.stringify(await shardsOf()) !== JSON.stringify(before),
    );
  },
  180_000,
);
