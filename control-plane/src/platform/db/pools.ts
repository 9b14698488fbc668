/**
 * The pools of the running service. Ingest and the fleet, background jobs, changes and reads by the API each have
 * connections of their own, so that none of them waits for another's statements, however many those are.
 */
import type { Knex } from "knex";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { type DatabaseConnection, openPool } from "./pool.ts";

/** Most connections of each pool. */
export interface PoolSizes {
  /** Connections of the runners' port: sessions, ingest with the evaluation of alerts, assignments. */
  fleet: number;
  /** Connections of notifications, incidents, exports and jobs. */
  jobs: number;
  /** Connections of requests that change something, and of finding out who asks. */
  apiWrites: number;
  /** Connections of requests that read; their statements have a shorter time limit. */
  apiReads: number;
}

/** One pool for each kind of work. */
export interface Pools {
  fleet: Knex;
  jobs: Knex;
  apiWrites: Knex;
  apiReads: Knex;
  /** Closes every pool. */
  close(): Promise<void>;
}

/** With fewer connections than this, everything shares one pool: a part with one connection could wait for itself. */
const SEPARATE_FROM = 8;

/**
 * Returns the sizes of the pools: those that the settings give, and else shares of `SVC_DATABASE_POOL_MAX`. Undefined
 * when there are too few connections to be divided.
 */
export function poolSizes(config: Config): PoolSizes | undefined {
  const { databasePoolMax: all, databasePoolFleetMax, databasePoolJobsMax, databasePoolApiMax } = config;
  const areAllSet = databasePoolFleetMax && databasePoolJobsMax && databasePoolApiMax;
  if (all < SEPARATE_FROM && !areAllSet) return undefined;
  const fleet = databasePoolFleetMax ?? Math.max(2, Math.floor(all * 0.3));
  const jobs = databasePoolJobsMax ?? Math.max(2, Math.floor(all * 0.25));
  const api = databasePoolApiMax ?? Math.max(4, all - fleet - jobs);
  const apiReads = Math.ceil(api / 2);
  return { fleet, jobs, apiReads, apiWrites: api - apiReads };
}

/** Opens the pools of the service. Connections are made on demand. */
export function openPools(connection: DatabaseConnection, config: Config, log: Logger): Pools {
  const sizes = poolSizes(config);
  if (!sizes) {
    const all = openPool(connection, { poolMax: config.databasePoolMax, log });
    return { fleet: all, jobs: all, apiWrites: all, apiReads: all, close: () => all.destroy() };
  }
  const open = (poolMax: number, statementTimeoutMs?: number) =>
    openPool(connection, { poolMax, log, ...(statementTimeoutMs && { statementTimeoutMs }) });
  const pools = {
    fleet: open(sizes.fleet),
    jobs: open(sizes.jobs),
    apiWrites: open(sizes.apiWrites),
    apiReads: open(sizes.apiReads, config.apiReadTimeoutMs),
  };
  return {
    ...pools,
    close: async () => void (await Promise.all(Object.values(pools).map((pool) => pool.destroy()))),
  };
}
