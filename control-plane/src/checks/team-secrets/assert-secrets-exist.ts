import {
  DomainError,
  excerpt,
  invalidField,
  isVaultName,
  nearestName,
  type TeamId,
  type VaultReference,
  vaultReferencesIn,
} from "@svc/contract";
import type { Knex } from "knex";
import { holdSecrets, listSecretRows } from "./store.ts";

/** Most mistakes that an answer lists. */
const MESSAGES_MAX = 20;
/** Most secrets that one check refers to: agents look for each of them in whatever a run reports. */
const SECRETS_MAX = 50;

/**
 * Passes when the team has every secret that a configuration refers to, and keeps those from being deleted until the
 * transaction ends.
 * @param input.field field of the request's body that holds the configuration
 * @throws DomainError `invalid` naming every field with a reference that stands for nothing, and the secret
 */
export async function assertSecretsExist(
  trx: Knex,
  { teamId, config, field }: { teamId: TeamId; config: Record<string, unknown>; field: string },
): Promise<void> {
  const references = vaultReferencesIn(config);
  if (references.length === 0) return;
  const names = [...new Set(references.map(({ name }) => name))].filter(isVaultName);
  if (names.length > SECRETS_MAX)
    throw invalidField(field, `refers to ${names.length} secrets; the most is ${SECRETS_MAX}`);
  const held = new Set((await holdSecrets(trx, teamId, names)).map(({ name }) => name));
  const wrong = references.filter(({ name, isInName }) => isInName || !held.has(name));
  if (wrong.length === 0) return;
  const all = (await listSecretRows(trx, teamId)).map(({ name }) => name);
  throw new DomainError("invalid", "Validation failed", {
    details: {
      fieldErrors: { [field]: wrong.slice(0, MESSAGES_MAX).map((reference) => messageOf(reference, all)) },
      formErrors: [],
    },
  });
}

function messageOf({ path, name, isInName }: VaultReference, known: readonly string[]): string {
  const field = excerpt(path);
  if (isInName) return `${field}: a vault reference can stand in a value, not in the name of a field`;
  if (!isVaultName(name))
    return `${field}: {{vault.${excerpt(name)}}} names no secret: names consist of letters, digits and _`;
  const nearest = nearestName(name, known);
  return `${field}: there is no secret ${name}${nearest ? `; did you mean ${nearest}?` : ""}`;
}
