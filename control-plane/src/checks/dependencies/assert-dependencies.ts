import { type CheckId, invalidField, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { findCircle } from "./find-circle.ts";
import { readDependencies } from "./store.ts";

/** A check with the checks that it shall depend on. */
export interface WantedDependencies {
  teamId: TeamId;
  check: { id: CheckId; name: string };
  dependsOn: readonly CheckId[];
}

/**
 * Makes sure that a check may depend on these. Call it under the lock of the team's dependencies.
 * @throws DomainError `invalid` for a check that the team doesn't have, and for a circle, which it names
 */
export async function assertDependencies(
  trx: Knex,
  { teamId, check, dependsOn }: WantedDependencies,
): Promise<void> {
  if (dependsOn.length === 0) return;
  const rows = new Map((await readDependencies(trx, teamId, dependsOn)).map((row) => [row.id, row]));
  const unknown = dependsOn.filter((id) => id !== check.id && !rows.has(id));
  if (unknown.length > 0) throw invalidField("dependsOn", `there is no check ${unknown.join(", ")}`);
  const circle = findCircle(
    check.id,
    new Map<CheckId, readonly CheckId[]>([
      ...[...rows.values()].map(({ id, dependsOn: others }) => [id, others] as const),
      [check.id, dependsOn],
    ]),
  );
  if (circle === undefined) return;
  const names = circle.map((id) => (id === check.id ? check.name : (rows.get(id)?.name ?? id)));
  throw invalidField("dependsOn", `the checks would depend on each other in a circle: ${names.join(" -> ")}`);
}
