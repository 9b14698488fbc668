/**
 * CPU time of a stored result on Citus with one, two and three workers, by server, beside one PostgreSQL of the version that Citus is
 * installed in. Every server is on this machine, so that throughput is no figure of it: what each server's cores would carry follows
 * from the CPU time. Skipped where no Citus is installed.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import {
  type ReplicatedServer,
  startReplicatedServers,
} from "../../control-plane/test-support/replicated-servers.ts";
import { hasInstalledCitus, startCitusCluster } from "../harness/citus-cluster.ts";
import { startControlPlane } from "../harness/control-plane.ts";
import { temporaryFolder } from "../harness/folders.ts";
import { sendResults } from "./bench-agent.ts";
import { createLoad, processTree } from "./bench-database.ts";
import { cpuMs, endedChildrenCpuMs, printTable } from "./measure.ts";

const CHECKS = 10_000;
const COUNT = 100_000;
/** Shards of each table: as many as Citus makes by default. */
const SHARDS = 32;

/** The servers of one measurement. */
interface Servers {
  title: string;
  coordinator: ReplicatedServer;
  workers: readonly ReplicatedServer[];
  end(): unknown;
}

export async function citusBench(): Promise<void> {
  if (!hasInstalledCitus()) {
    console.log("skipped: the installed PostgreSQL has no Citus, see docs/citus.md");
    return;
  }
  const rows = [];
  rows.push(await measure(await onePostgres()));
  for (const workers of [1, 2, 3]) rows.push(await measure(await citusWith(workers)));
  printTable(rows);
}

async function onePostgres(): Promise<Servers> {
  const servers = await startReplicatedServers({ wal_level: "logical" });
  return { title: "one PostgreSQL", coordinator: servers.primary, workers: [], end: () => servers.end() };
}

async function citusWith(workerCount: number): Promise<Servers> {
  const cluster = await startCitusCluster({ workerCount, isDirect: true, shards: SHARDS });
  const title = `Citus, ${workerCount} worker${workerCount === 1 ? "" : "s"}`;
  return { title, coordinator: cluster.coordinator, workers: cluster.workers, end: () => cluster.end() };
}

/** Sends results as an agent with a full spool does, and takes the CPU time of all processes, µs for each result. */
async function measure({ title, coordinator, workers, end }: Servers) {
  const folder = temporaryFolder();
  const controlPlane = await startControlPlane({ dataDir: folder.path, databaseUrl: coordinator.url });
  const client = new pg.Client({ connectionString: coordinator.url });
  try {
    await client.connect();
    const { runnerKey, locationKey, checks } = await createLoad(controlPlane, { client }, CHECKS);
    const send = async (runnerUuid: string, newestSlotMs: number) => {
      const agent = { port: controlPlane.runnerPort, runnerKey, runnerUuid };
      const rejected = await sendResults(agent, checks, locationKey, newestSlotMs, COUNT);
      if (rejected > 0) throw new Error(`${rejected} results were rejected`);
    };
    const nowMs = Date.now();
    await send("00000000-0000-4000-8000-000000000000", nowMs);
    const cpuOf = () => [
      cpuMs(controlPlane.process.pid),
      ...[coordinator, ...workers].map((server) => serverCpuMs(server)),
    ];
    const before = cpuOf();
    await send("00000000-0000-4000-8000-000000000001", nowMs - 400_000);
    const [plane = 0, first = 0, ...each] = cpuOf().map((ms, i) => ((ms - (before[i] ?? 0)) * 1000) / COUNT);
    return {
      servers: title,
      "control plane CPU-us": plane,
      "coordinator CPU-us": first,
      "all workers CPU-us": each.reduce((sum, one) => sum + one, 0),
      "busiest worker CPU-us": Math.max(0, ...each),
      "databases CPU-us": each.reduce((sum, one) => sum + one, first),
    };
  } finally {
    await client.end().catch(() => undefined);
    await controlPlane.process.stop();
    await end();
    folder.remove();
  }
}

/** User and system time of a server so far, with its processes that ended, ms. */
function serverCpuMs({ folder }: ReplicatedServer): number {
  const pid = Number.parseInt(readFileSync(join(folder, "postmaster.pid"), "utf8"), 10);
  return processTree(pid).reduce((sum, process) => sum + cpuMsWhileRunning(process), endedChildrenCpuMs(pid));
}

/** CPU time of a process so far, ms; 0 when it ended meanwhile. */
function cpuMsWhileRunning(pid: number): number {
  try {
    return cpuMs(pid);
  } catch {
    return 0;
  }
}
