import { type CreateStatusPage, DomainError, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { holdChecks } from "../../checks/maintenance/store.ts";
import type { NewComponent } from "./store.ts";

/**
 * Returns components as they are stored, with the keys of their checks, which are kept from being deleted until the transaction ends.
 * @throws DomainError `invalid`, naming each id that is not one of the team's checks
 */
export async function componentsToStore(
  trx: Knex,
  teamId: TeamId,
  components: CreateStatusPage["components"],
): Promise<NewComponent[]> {
  const ids = components.flatMap(({ checkId }) => checkId ?? []);
  const held = ids.length === 0 ? [] : await holdChecks(trx, teamId, [...new Set(ids)]);
  const keys = new Map<string, number>(held.map(({ id, key }) => [id, key]));
  const messages = components.flatMap(({ checkId }, index) =>
    checkId === undefined || keys.has(checkId)
      ? []
      : [`components[${index}].checkId: "${checkId}" is not a check; GET /api/checks lists them`],
  );
  if (messages.length > 0)
    throw new DomainError("invalid", "Validation failed", {
      details: { fieldErrors: { components: messages }, formErrors: [] },
    });
  return components.map(({ name, checkId, labels }) => ({
    name,
    checkKey: checkId === undefined ? null : (keys.get(checkId) ?? null),
    labels: labels ?? null,
  }));
}
