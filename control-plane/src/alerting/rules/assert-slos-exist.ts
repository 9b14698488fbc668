import { type Condition, invalidField, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { ruleOf } from "../conditions/registry.ts";
import { findSloIds } from "./store.ts";

/**
 * Makes sure that the team has the SLOs that its conditions name: a rule about any other would never fire.
 * @throws DomainError `invalid`, naming those that don't exist
 */
export async function assertSlosExist(
  db: Knex,
  teamId: TeamId,
  conditions: readonly Condition[],
): Promise<void> {
  const named = conditions.flatMap((condition) => ruleOf(condition).sloIds?.(condition) ?? []);
  const known = new Set(await findSloIds(db, teamId, named));
  const unknown = named.filter((id) => !known.has(id));
  if (unknown.length > 0)
    throw invalidField("conditions", `sloId: no such SLO: ${unknown.join(", ")}; GET /api/slos lists them`);
}
