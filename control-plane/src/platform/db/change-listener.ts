/**
 * `LISTEN svc_changes` on a connection of its own. A notification only wakes the poll, so one that is lost costs at most
 * a poll interval; the connection is opened again whenever it breaks.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import type pg from "pg";
import type { Logger } from "pino";

/** The channel that writers notify in their transaction, with what changed as payload. */
export const CHANGES_CHANNEL = "svc_changes";
export type ChangeTopic = "checks" | "runners" | "manual_runs" | "runner_keys" | "given_back";

/** Tells every replica, at the commit of the transaction, that there is something to read. */
export async function notifyChange(db: Knex, topic: ChangeTopic): Promise<void> {
  await db.raw("SELECT pg_notify(?, ?)", [CHANGES_CHANNEL, topic]);
}

const RECONNECT_MS = 1_000;
/** A dead connection that says nothing is found by asking it this often. */
const PROBE_INTERVAL_MS = 10_000;

/**
 * Listens until `signal` aborts.
 * @param onChange called for each notification, and once after every (re)connect, when some may have been missed
 * @param channel what to listen to: an identifier of our own
 */
export async function listenForChanges(
  knex: Knex,
  log: Logger,
  onChange: (topic: string) => void,
  signal: AbortSignal,
  channel = CHANGES_CHANNEL,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await listenOnce(knex, onChange, signal, channel);
    } catch (error) {
      if (!signal.aborted) log.debug({ err: error }, "listening for changes: connecting again");
    }
    await sleep(RECONNECT_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** One connection's life; returns when it ended. */
async function listenOnce(
  knex: Knex,
  onChange: (topic: string) => void,
  signal: AbortSignal,
  channel: string,
): Promise<void> {
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
    client.on("notification", (message) => onChange(message.payload ?? ""));
    await client.query(`LISTEN ${channel}`);
    onChange("connected");
    await ended;
  } finally {
    clearInterval(probe);
    await client.end().catch(() => undefined);
  }
}
