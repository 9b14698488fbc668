/** Which checks the maintenance windows of the model hold. */
import type { CheckId } from "@svc/contract";
import type { Tables, WindowRecord } from "./tables.ts";

/** True when the window holds for the check at the instant, Unix ms. */
export function holds({ checkKeys, occurrences }: WindowRecord, checkKey: number, atMs: number): boolean {
  const isMeant = checkKeys === null || checkKeys.includes(checkKey);
  return isMeant && occurrences.some(({ startsAtMs, endsAtMs }) => startsAtMs <= atMs && endsAtMs > atMs);
}

/** Returns those of the checks that a window holds for. */
export function checksInMaintenance(
  { windows, checks }: Tables,
  asked: readonly { checkId: CheckId }[],
  atMs: number,
): Set<CheckId> {
  const held = [...checks.values()].filter(({ key }) =>
    [...windows.values()].some((window) => holds(window, key, atMs)),
  );
  const ids = new Set(held.map(({ id }) => id));
  return new Set(asked.map(({ checkId }) => checkId).filter((id) => ids.has(id)));
}
