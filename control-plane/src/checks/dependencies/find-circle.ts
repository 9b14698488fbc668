/** Finds circles among checks that depend on each other. Pure, and linear in the checks. */
import type { CheckId } from "@svc/contract";

/**
 * Returns the way from a check back to itself, both ends included; undefined when there is none.
 * @param dependsOn the checks that each check depends on; a check without an entry depends on none
 */
export function findCircle(
  from: CheckId,
  dependsOn: ReadonlyMap<CheckId, readonly CheckId[]>,
): CheckId[] | undefined {
  const cameFrom = new Map<CheckId, CheckId>();
  const open = [from];
  for (let id = open.shift(); id !== undefined; id = open.shift())
    for (const next of dependsOn.get(id) ?? []) {
      if (next === from) return wayTo(id, { from, cameFrom });
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, id);
      open.push(next);
    }
  return undefined;
}

function wayTo(
  last: CheckId,
  { from, cameFrom }: { from: CheckId; cameFrom: ReadonlyMap<CheckId, CheckId> },
): CheckId[] {
  const way = [from];
  for (let id: CheckId | undefined = last; id !== undefined && id !== from; id = cameFrom.get(id))
    way.unshift(id);
  return [from, ...way];
}
