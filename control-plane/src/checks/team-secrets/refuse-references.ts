import { invalidField, vaultReferencesIn } from "@svc/contract";

/**
 * Refuses vault references in a value that no agent puts them into: they would be sent as they are written.
 * @param field field of the request's body that holds the value
 * @throws DomainError `invalid`
 */
export function refuseVaultReferences(value: unknown, field: string): void {
  const [reference] = vaultReferencesIn(value);
  if (!reference) return;
  const where = reference.path === "" ? "" : `${reference.path}: `;
  throw invalidField(field, `${where}{{vault...}} stands for a secret in the configuration of checks only`);
}
