import { DomainError, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { holdSpecs } from "./store.ts";

/** Returns the ids of the specs that a configuration's assertions name. */
export function specIdsOf(config: Record<string, unknown>): string[] {
  const assertions = Array.isArray(config.assertions) ? config.assertions : [];
  const ids = assertions.map((assertion) => assertion?.specId).filter((specId) => typeof specId === "string");
  return [...new Set(ids)];
}

/**
 * Passes when the team has every spec that a configuration names, and keeps those from being deleted until the transaction
 * ends.
 * @param input.field field of the request's body that holds the configuration
 * @throws DomainError `invalid` naming every unknown spec
 */
export async function assertSpecsExist(
  trx: Knex,
  { teamId, config, field }: { teamId: TeamId; config: Record<string, unknown>; field: string },
): Promise<void> {
  const ids = specIdsOf(config);
  if (ids.length === 0) return;
  const known = await holdSpecs(trx, teamId, ids);
  const assertions = config.assertions as { specId?: unknown }[];
  const messages = assertions.flatMap(({ specId }, index) =>
    typeof specId === "string" && !known.has(specId)
      ? [`assertions[${index}].specId: there is no spec ${specId}`]
      : [],
  );
  if (messages.length > 0)
    throw new DomainError("invalid", "Validation failed", {
      details: { fieldErrors: { [field]: messages }, formErrors: [] },
    });
}
