/**
 * Removes schedule revisions that no slot was due in. Somebody who switches a check on and off all day makes thousands of
 * these, and whoever reads the check's history would read them all.
 */
import { type CheckId, HOUR_MS, phaseMs, slotAtOrAfter, staggerMs } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";

/** Revisions of a check beyond which they are looked through. */
const REVISIONS_MAX = 100;
/** Revisions that are looked at at once. */
const REVISIONS_AT_ONCE = 5_000;
/** Age at which agents and replicas have long learnt of the next schedule. */
const SETTLED_MS = HOUR_MS;

/** A schedule that a check had from one instant up to another, Unix ms. */
export interface PastRevision {
  revision: number;
  frequencySeconds: number;
  /** In the order of the check's list. */
  locationKeys: readonly number[];
  enabled: boolean;
  effectiveFromMs: number;
  /** Null: in force. */
  effectiveUntilMs: number | null;
}

/** Removes the idle revisions of checks that have many. Harmless to repeat. */
export async function compactRevisions(knex: Knex, nowMs: number): Promise<void> {
  const crowded = await queryRows<{ key: number; id: CheckId }>(
    knex,
    `SELECT c.key, c.id FROM (SELECT check_key FROM check_revisions GROUP BY check_key HAVING count(*) > ?) r
     JOIN checks c ON c.key = r.check_key`,
    [REVISIONS_MAX],
  );
  for (const check of crowded) await compactCheck(knex, check, nowMs);
}

async function compactCheck(
  knex: Knex,
  { key, id }: { key: number; id: CheckId },
  nowMs: number,
): Promise<void> {
  const named = new Set<number>();
  for (let below = Number.MAX_SAFE_INTEGER; ; ) {
    const revisions = await queryRows<PastRevision>(
      knex,
      `SELECT revision, frequency_seconds, location_keys, enabled, effective_from_ms, effective_until_ms
       FROM check_revisions WHERE check_key = ? AND revision < ? ORDER BY revision DESC LIMIT ${REVISIONS_AT_ONCE}`,
      [key, below],
    );
    const last = revisions.at(-1);
    if (!last) return;
    const idle = idleRevisions(id, revisions, { named, settledBeforeMs: nowMs - SETTLED_MS });
    await knex("checkRevisions").where({ checkKey: key }).whereIn("revision", idle).delete();
    below = last.revision;
  }
}

/**
 * Returns the numbers of the revisions that nobody needs: those that ended long ago, had no slot, and name no location that
 * no other revision names, since a check's results are looked for at the locations of its revisions. Pure but for `named`.
 * @param revisions newest first
 * @param options.named locations of the revisions that stay; those of this call's are added
 */
export function idleRevisions(
  checkId: CheckId,
  revisions: readonly PastRevision[],
  { named, settledBeforeMs }: { named: Set<number>; settledBeforeMs: number },
): number[] {
  const idle: number[] = [];
  for (const revision of revisions) {
    const { effectiveUntilMs, locationKeys } = revision;
    const hasEnded = effectiveUntilMs !== null && effectiveUntilMs < settledBeforeMs;
    if (hasEnded && locationKeys.every((key) => named.has(key)) && !hasSlot(checkId, revision))
      idle.push(revision.revision);
    else for (const key of locationKeys) named.add(key);
  }
  return idle;
}

/** True when a slot was due while the revision was in force, at any of its locations. */
function hasSlot(
  checkId: CheckId,
  { enabled, frequencySeconds, locationKeys, effectiveFromMs, effectiveUntilMs }: PastRevision,
): boolean {
  if (!enabled) return false;
  const periodMs = frequencySeconds * 1000;
  const phase = phaseMs(checkId, frequencySeconds);
  return locationKeys.some((_key, index) => {
    const stagger = staggerMs(index, locationKeys.length, periodMs);
    const dueMs = slotAtOrAfter(effectiveFromMs - stagger, periodMs, phase) + stagger;
    return dueMs < (effectiveUntilMs ?? Number.POSITIVE_INFINITY);
  });
}
