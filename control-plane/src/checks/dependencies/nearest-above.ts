/** Finds the checks that a check depends on. Pure. */
import type { CheckId } from "@svc/contract";

/**
 * Returns the checks that a check depends on, directly and through others, the nearest first, each once and without itself.
 * @param countMax most that are returned; no more are looked at
 */
export function nearestAbove(
  id: CheckId,
  dependsOn: { get(id: CheckId): readonly CheckId[] | undefined },
  countMax: number,
): CheckId[] {
  const seen = new Set([id]);
  for (const one of seen)
    for (const next of dependsOn.get(one) ?? []) {
      if (seen.size > countMax) return [...seen].slice(1);
      seen.add(next);
    }
  return [...seen].slice(1);
}
