/**
 * Watches the operator's database from the start of the service on: follows a promotion also when no connection breaks, and
 * says in the log and in the metrics what a failover may lose, whenever that changes.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { SECOND_MS } from "@svc/contract";
import type { Knex } from "knex";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import { metricsOf } from "../metrics/metrics-of.ts";
import type { DatabaseServers } from "./database-servers.ts";
import {
  type FailoverLoss,
  failoverLoss,
  failoverWords,
  REPLICATION_SQL,
  type Replication,
} from "./failover-loss.ts";

const INTERVAL_MS = 5 * SECOND_MS;

/** The servers, and a pool of connections to them. */
export interface WatchServersOptions {
  servers: DatabaseServers;
  knex: Knex;
  log: Logger;
  registry: Registry;
}

/** Starts to watch; the first look is at once. */
export function watchServers({ servers, knex, log, registry }: WatchServersOptions): {
  close(): Promise<void>;
} {
  const abort = new AbortController();
  const state = metricsOf(registry).gauge(
    "svc_database_survives_failover",
    "1: acknowledged results survive the loss of the database's server; 0: the last ones may not",
  );
  let said: string | undefined;
  const say = (loss: FailoverLoss, replication: Replication) => {
    const isSafe = loss === "synchronous" || loss === "waiting";
    state.set(isSafe ? 1 : 0);
    const words = failoverWords(loss, replication);
    if (words === said) return;
    said = words;
    // An operator with one server and no standby chose that; all else deserves attention.
    const level = loss === "synchronous" || (loss === "alone" && servers.size === 1) ? "info" : "warn";
    log[level]({ server: servers.presentName }, words);
  };
  const running = (async () => {
    while (!abort.signal.aborted) {
      try {
        if (servers.size > 1) await servers.look();
        const { rows } = (await knex.raw(REPLICATION_SQL)) as { rows: Replication[] };
        if (rows[0]) say(failoverLoss(rows[0]), rows[0]);
      } catch (error) {
        log.debug({ err: error }, "the database's servers can't be asked");
      }
      await sleep(INTERVAL_MS, undefined, { signal: abort.signal }).catch(() => undefined);
    }
  })();
  return {
    close: async () => {
      abort.abort();
      await running;
    },
  };
}
