import { DomainError, notFound, type RotaId } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { assertSameVersion } from "../../platform/http/record-version.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { deleteRotaRow, isNamedByPolicy, lockRotaRow } from "./store.ts";

/**
 * Deletes a rota.
 * @throws DomainError `not_found`, also the second time; `conflict` while a step of the incident policy names it
 */
export async function deleteRota(ctx: TeamContext, { id }: { id: RotaId }): Promise<void> {
  await changeRecord(ctx, async (trx) => {
    const row = await lockRotaRow(trx, ctx.teamId, id);
    if (!row) throw notFound("Rota");
    assertSameVersion(ctx, row);
    if (await isNamedByPolicy(trx, ctx.teamId, id))
      throw new DomainError("conflict", `Rota "${row.name}" is used by the incident policy`);
    await deleteRotaRow(trx, row.key);
    return {
      result: undefined,
      changes: [{ action: "deleted", type: "rota", resourceId: id, name: row.name }],
    };
  });
}
