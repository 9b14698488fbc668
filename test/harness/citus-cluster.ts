/**
 * A coordinator of Citus with two workers, from an installed PostgreSQL that has Citus. The coordinator reaches the second worker
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
  workers: [ReplicatedServer, ReplicatedServer];
  /** Between the coordinator and the second worker. */
  network: TcpProxy;
  /** Ends the servers and removes their folders. */
  end(): Promise<void>;
}

/** True when the PostgreSQL that is installed has Citus: docs/citus.md says how to have it. */
export function hasInstalledCitus(): boolean {
  const programs = debianPrograms();
  return programs !== undefined && existsSync(join(programs, "..", "lib", "citus.so"));
}

/** Starts the servers, with the extension in their database and the workers known to the coordinator. */
export async function startCitusCluster(): Promise<CitusCluster> {
  const servers = await startReplicatedServers({
    shared_preload_libraries: "citus",
    wal_level: "logical",
    max_prepared_transactions: "200",
    "citus.shard_count": "4",
    // What a broken connection left half committed is ended within seconds instead of a minute.
    "citus.recover_2pc_interval": "2s",
    "citus.node_connection_timeout": "3000",
  });
  const coordinator = servers.primary;
  const workers: [ReplicatedServer, ReplicatedServer] = [
    await servers.addStranger("worker-1"),
    await servers.addStranger("worker-2"),
  ];
  const network = await startTcpProxy(portOf(workers[1]));
  for (const server of [coordinator, ...workers]) await server.query("CREATE EXTENSION citus");
  await coordinator.query("SELECT citus_set_coordinator_host('127.0.0.1', $1::integer)", [
    portOf(coordinator),
  ]);
  for (const port of [portOf(workers[0]), network.port])
    await coordinator.query("SELECT citus_add_node('127.0.0.1', $1::integer)", [port]);
  return {
    coordinator,
    workers,
    network,
    end: async () => {
      servers.end();
      await network.close();
    },
  };
}

function portOf({ address }: ReplicatedServer): number {
  return Number(address.split(":")[1]);
}
