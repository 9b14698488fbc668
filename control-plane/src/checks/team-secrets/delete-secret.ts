import { DomainError, notFound, type SecretId } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { deleteSecretRow, findChecksUsingSecret, lockSecretRow } from "./store.ts";

/** Checks that the refusal of a deletion names. */
const CHECKS_NAMED_MAX = 20;

/**
 * Deletes a secret.
 * @throws DomainError `not_found`, also the second time; `conflict` while checks refer to it, naming up to 20
 */
export async function deleteSecret(ctx: TeamContext, { id }: { id: SecretId }): Promise<void> {
  await changeRecord(ctx, async (trx) => {
    const secret = await lockSecretRow(trx, ctx.teamId, id);
    if (!secret) throw notFound("Secret");
    const { name } = secret;
    const users = await findChecksUsingSecret(trx, ctx.teamId, { name, namesMax: CHECKS_NAMED_MAX });
    if (users.count > 0) throw new DomainError("conflict", usedMessage(name, users));
    await deleteSecretRow(trx, id);
    return { result: undefined, changes: [{ action: "deleted", type: "secret", resourceId: id, name }] };
  });
}

function usedMessage(name: string, { names, count }: { names: readonly string[]; count: number }): string {
  const listed = names.map((check) => `"${check}"`).join(", ");
  const others = count > names.length ? ` and ${count - names.length} more` : "";
  return `Secret "${name}" is used by ${count === 1 ? "the check" : `${count} checks:`} ${listed}${others}`;
}
