/** Changes of a check's schedule in the model: each begins a new revision, as in the product. */
import type { CheckRecord } from "./tables.ts";

/** What decides when a check runs. */
type Schedule = Pick<CheckRecord, "frequencySeconds" | "enabled" | "paused">;

/**
 * Changes the check from `atMs` on, in transaction `xid`. Returns false when nothing is new: a change to what is there already
 * is none.
 */
export function reviseCheck(
  check: CheckRecord,
  changes: Partial<Schedule>,
  { atMs, xid }: { atMs: number; xid: number },
): boolean {
  const { frequencySeconds, enabled, paused } = { ...check, ...changes };
  const former = check.revisions.at(-1);
  const isSame =
    check.frequencySeconds === frequencySeconds && check.enabled === enabled && check.paused === paused;
  if (!former || isSame) return false;
  const effectiveFromMs = Math.max(former.effectiveFromMs, atMs);
  former.effectiveUntilMs = effectiveFromMs;
  check.revisions.push({
    revision: former.revision + 1,
    frequencySeconds,
    locationKeys: check.locationKeys,
    enabled: enabled && !paused,
    effectiveFromMs,
    effectiveUntilMs: null,
  });
  Object.assign(check, { frequencySeconds, enabled, paused, changedXid: xid });
  return true;
}
