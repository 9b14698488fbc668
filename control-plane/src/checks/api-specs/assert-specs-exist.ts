import { DomainError, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { holdSpecs } from "./store.ts";

/** Returns the ids of the specs that a configuration's assertions name, those of its steps included. */
export function specIdsOf(config: Record<string, unknown>): string[] {
  return [...new Set(namedSpecs(config).map(({ specId }) => specId))];
}

/** Returns each spec that an assertion names, with the assertion's path in the configuration. */
function namedSpecs({ assertions, steps }: Record<string, unknown>): { specId: string; path: string }[] {
  const holders = Array.isArray(steps)
    ? steps.map((step, index) => [step?.assertions, `steps[${index}].`])
    : [];
  return [[assertions, ""], ...holders].flatMap(([list, prefix]) =>
    Array.isArray(list)
      ? list.flatMap(({ specId }, index) =>
          typeof specId === "string" ? [{ specId, path: `${prefix}assertions[${index}]` }] : [],
        )
      : [],
  );
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
  const messages = namedSpecs(config)
    .filter(({ specId }) => !known.has(specId))
    .map(({ specId, path }) => `${path}.specId: there is no spec ${specId}`);
  if (messages.length > 0)
    throw new DomainError("invalid", "Validation failed", {
      details: { fieldErrors: { [field]: messages }, formErrors: [] },
    });
}
