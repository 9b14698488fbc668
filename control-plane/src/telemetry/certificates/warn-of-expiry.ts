/** Warns of certificates that expire soon, once per threshold: the rows are locked, and changed with the event. */
import type { Knex } from "knex";
import { recordDerivedEvents } from "../derived-events/store.ts";
import { expiryEvent } from "./certificate-events.ts";
import { giveWarnings, nextWarningAtMs } from "./certificate-state.ts";
import { type HostToWarn, lockHostsToWarn, readNewestRuns, updateHosts } from "./store.ts";

const HOSTS_AT_ONCE = 500;

/**
 * Records an event for each threshold that was crossed. Harmless to repeat, and to run on several replicas at once.
 * @returns the number of recorded events
 */
export async function warnOfExpiry(knex: Knex, nowMs: number): Promise<number> {
  let total = 0;
  for (;;) {
    const { hosts, events } = await knex.transaction((trx) => warnOfSome(trx, nowMs));
    total += events;
    if (hosts < HOSTS_AT_ONCE) return total;
  }
}

async function warnOfSome(trx: Knex, nowMs: number): Promise<{ hosts: number; events: number }> {
  const hosts = await lockHostsToWarn(trx, new Date(nowMs), HOSTS_AT_ONCE);
  const judged = hosts.map((host) => {
    const { state, warnings } = giveWarnings(inSight(host), nowMs);
    return { host: { ...host, ...state }, warnings };
  });
  const due = judged.flatMap(({ host, warnings }) => warnings.map((warning) => ({ host, warning })));
  const runs = await readNewestRuns(
    trx,
    due.map(({ host, warning }) => ({ checkKey: host.checkKey, locationKey: warning.locationKey })),
    nowMs,
  );
  const events = due.map(({ host, warning }, index) =>
    expiryEvent(host, { warning, run: runs[index], nowMs }),
  );
  await recordDerivedEvents(trx, events);
  await updateHosts(
    trx,
    judged.map(({ host }) => ({ ...host, warnAtMs: nextWarningAtMs(host) })),
  );
  return { hosts: hosts.length, events: events.length };
}

/**
 * Leaves out certificates that were seen only at locations where the check no longer runs: they may have been renewed
 * since.
 */
function inSight(host: HostToWarn): HostToWarn {
  const current = new Set(host.locationKeys.map(String));
  const views = Object.entries(host.views).filter(([locationKey]) => current.has(locationKey));
  return { ...host, views: Object.fromEntries(views) };
}
