/**
 * Wake-ups between replicas by `NOTIFY`: a writer notifies in its transaction, and at the commit every replica that listens
 * looks at a table. A wake-up carries no data and only shortens a poll: a lost one costs at most a poll interval.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import type pg from "pg";
import type { Logger } from "pino";

/** The channel of everything that the fleet has to look at; the payload is the topic. */
export const FLEET_CHANNEL = "svc_changes";

/** Table that the fleet has to look at. */
export type FleetTopic = "checks" | "runners" | "manual_runs" | "runner_keys" | "given_back" | "test_runs";

/** Wakes every replica's fleet at the commit of the transaction. */
export async function wakeFleets(db: Knex, topic: FleetTopic): Promise<void> {
  await db.raw("SELECT pg_notify(?, ?)", [FLEET_CHANNEL, topic]);
}

/** Returns the SQL expression that wakes every replica's fleet from within a larger statement. */
export function fleetWakeUpSql(topic: FleetTopic): string {
  return `pg_notify('${FLEET_CHANNEL}', '${topic}')`;
}

/** The wake-ups of one channel. */
export interface WakeUps {
  readonly channel: string;
  /** Calls `onWakeUp` for each wake-up, and once after every (re)connect, until the signal aborts. */
  listen(listener: Pick<WakeUpListenerOptions, "onWakeUp" | "signal">): void;
}

/** Returns the wake-ups of the database's channel. */
export function wakeUpsOf(options: Pick<WakeUpListenerOptions, "knex" | "log" | "channel">): WakeUps {
  return {
    channel: options.channel,
    listen: (listener) => void listenForWakeUps({ ...options, ...listener }),
  };
}

/** The channel to listen to and the callback. */
export interface WakeUpListenerOptions {
  knex: Knex;
  log: Logger;
  /** The channel to listen to: an identifier of our own, never a user's text. */
  channel: string;
  /** Called for each wake-up, and once after every (re)connect, when some may have been missed. */
  onWakeUp: () => void;
  /** Ends the listening. */
  signal: AbortSignal;
}

const RECONNECT_MS = 1_000;
/** A dead connection that says nothing is found by asking it this often. */
const PROBE_INTERVAL_MS = 10_000;

/** Listens until the signal aborts, on a connection of its own that is opened again whenever it breaks. */
async function listenForWakeUps(options: WakeUpListenerOptions): Promise<void> {
  const { log, signal } = options;
  while (!signal.aborted) {
    try {
      await listenOnce(options);
    } catch (error) {
      if (!signal.aborted) log.debug({ err: error }, "listening for wake-ups failed; connecting again");
    }
    await sleep(RECONNECT_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Listens on one connection and returns when that has ended. */
async function listenOnce({ knex, channel, onWakeUp, signal }: WakeUpListenerOptions): Promise<void> {
  const client = (await knex.client.acquireRawConnection()) as pg.Client;
  const ended = new Promise<void>((resolve) => {
    client.on("error", () => resolve());
    client.on("end", () => resolve());
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  const probe = setInterval(
    () => void client.query("SELECT 1").catch(() => client.end().catch(() => undefined)),
    PROBE_INTERVAL_MS,
  );
  try {
    client.on("notification", () => onWakeUp());
    await client.query(`LISTEN ${channel}`);
    onWakeUp();
    await ended;
  } finally {
    clearInterval(probe);
    await client.end().catch(() => undefined);
  }
}
