/**
 * A coordinator of Citus with workers, from an installed PostgreSQL that has Citus. The coordinator reaches the last worker
 * through a proxy, so that a test can cut the network between them.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  debianPrograms,
  type ReplicatedServer,
  startReplicatedServers,
} from "../../control-plane/test-support/replicated-servers.ts";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";

/** Servers that run until they are ended together. */
export interface CitusCluster {
  coordinator: ReplicatedServer;
  workers: [ReplicatedServer, ...ReplicatedServer[]];
  /** Between the coordinator and the last worker. */
  network: TcpProxy;
  /** Makes the last worker known to a coordinator that does not know it yet. */
  addLastWorker(): Promise<void>;
  /** Ends the servers and removes their folders. */
  end(): Promise<void>;
}

/** True when the PostgreSQL that is installed has Citus: docs/citus.md says how to have it. */
export function hasInstalledCitus(): boolean {
  const programs = debianPrograms();
  return programs !== undefined && existsSync(join(programs, "..", "lib", "citus.so"));
}

/** A cluster to start. */
export interface CitusOptions {
  /** Default: two. */
  workerCount?: number;
  /** Workers that the coordinator knows from the begin on, the first ones. Default: all. */
  knownWorkers?: number;
  /** True: the coordinator reaches the last worker without the proxy. */
  isDirect?: boolean;
  /** Shards of each distributed table. Default: four. */
  shards?: number;
}

/** Starts the servers, with the extension in their database and the workers known to the coordinator. */
export async function startCitusCluster(options: CitusOptions = {}): Promise<CitusCluster> {
  const { workerCount = 2, knownWorkers = workerCount, isDirect = false, shards = 4 } = options;
  const servers = await startReplicatedServers({
    shared_preload_libraries: "citus",
    wal_level: "logical",
    max_prepared_transactions: "200",
    "citus.shard_count": String(shards),
    // What a broken connection left half committed is ended within seconds instead of a minute.
    "citus.recover_2pc_interval": "2s",
    "citus.node_connection_timeout": "3000",
  });
  const coordinator = servers.primary;
  const workers: [ReplicatedServer, ...ReplicatedServer[]] = [await servers.addStranger("worker-1")];
  for (let n = 2; n <= workerCount; n++) workers.push(await servers.addStranger(`worker-${n}`));
  const ports = workers.map(portOf);
  const network = await startTcpProxy(ports.at(-1) as number);
  if (!isDirect) ports.splice(-1, 1, network.port);
  for (const server of [coordinator, ...workers]) await server.query("CREATE EXTENSION citus");
  await coordinator.query("SELECT citus_set_coordinator_host('127.0.0.1', $1::integer)", [
    portOf(coordinator),
  ]);
  const addWorker = async (port: number) => {
    await coordinator.query("SELECT citus_add_node('127.0.0.1', $1::integer)", [port]);
  };
  for (const port of ports.slice(0, knownWorkers)) await addWorker(port);
  return {
    coordinator,
    workers,
    network,
    addLastWorker: () => addWorker(ports.at(-1) as number),
    end: async () => {
      servers.end();
      await network.close();
    },
  };
}

function portOf({ address }: ReplicatedServer): number {
  return Number(address.split(":")[1]);
}
