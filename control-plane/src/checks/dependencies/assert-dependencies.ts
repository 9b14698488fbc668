import { type CheckId, DEPENDENCIES_MAX, invalidField, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { findCircle } from "./find-circle.ts";
import { nearestAbove } from "./nearest-above.ts";
import { type DependingCheck, readDependencies } from "./store.ts";

/** A check with the checks that it shall depend on. */
export interface WantedDependencies {
  teamId: TeamId;
  check: { id: CheckId; name: string };
  dependsOn: readonly CheckId[];
}

/**
 * Makes sure that a check may depend on these. Call it under the lock of the team's dependencies.
 * @throws DomainError `invalid` for a check that the team doesn't have, for a circle, which it names, and where the check,
 *   or one that depends on it, would depend on more than {@link DEPENDENCIES_MAX} checks
 */
export async function assertDependencies(
  trx: Knex,
  { teamId, check, dependsOn }: WantedDependencies,
): Promise<void> {
  if (dependsOn.length === 0) return;
  const rows = new Map((await readDependencies(trx, teamId, dependsOn)).map((row) => [row.id, row]));
  const unknown = dependsOn.filter((id) => id !== check.id && !rows.has(id));
  if (unknown.length > 0) throw invalidField("dependsOn", `there is no check ${unknown.join(", ")}`);
  const wanted = new Map<CheckId, readonly CheckId[]>([
    ...[...rows.values()].map(({ id, dependsOn: others }) => [id, others] as const),
    [check.id, dependsOn],
  ]);
  const circle = findCircle(check.id, wanted);
  if (circle === undefined) return assertFewEnough(check, wanted, rows);
  const names = circle.map((id) => (id === check.id ? check.name : (rows.get(id)?.name ?? id)));
  throw invalidField("dependsOn", `the checks would depend on each other in a circle: ${names.join(" -> ")}`);
}

/** @throws DomainError `invalid` when the check, or one that depends on it, depends on too many, directly and through others */
function assertFewEnough(
  check: WantedDependencies["check"],
  dependsOn: ReadonlyMap<CheckId, readonly CheckId[]>,
  rows: ReadonlyMap<CheckId, DependingCheck>,
): void {
  const dependents = new Map<CheckId, CheckId[]>();
  for (const [id, others] of dependsOn)
    for (const other of others) {
      const ofOther = dependents.get(other);
      if (ofOther) ofOther.push(id);
      else dependents.set(other, [id]);
    }
  const limit = `directly and through others; largest is ${DEPENDENCIES_MAX}`;
  for (const id of [check.id, ...nearestAbove(check.id, dependents, dependsOn.size)]) {
    if (nearestAbove(id, dependsOn, DEPENDENCIES_MAX + 1).length <= DEPENDENCIES_MAX) continue;
    const who = id === check.id ? "the check" : `${rows.get(id)?.name ?? id}, which depends on this check,`;
    throw invalidField("dependsOn", `${who} would depend on more than ${DEPENDENCIES_MAX} checks, ${limit}`);
  }
}
