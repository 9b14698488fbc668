import { DomainError, notFound, type SpecId } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { deleteSpecRow, findCheckUsingSpec, lockSpecRow } from "./store.ts";

/**
 * Deletes a spec.
 * @throws DomainError `not_found` (also the second time), `conflict` while an assertion uses it
 */
export async function deleteSpec(ctx: TeamContext, { id }: { id: SpecId }): Promise<void> {
  await changeRecord(ctx, async (trx) => {
    const row = await lockSpecRow(trx, ctx.teamId, id);
    if (!row) throw notFound("Spec");
    const user = await findCheckUsingSpec(trx, ctx.teamId, id);
    if (user !== undefined)
      throw new DomainError("conflict", `Spec ${row.name} is used by an assertion of the check "${user}"`);
    await deleteSpecRow(trx, id);
    return {
      result: undefined,
      changes: [{ action: "deleted", type: "spec", resourceId: id, name: row.name }],
    };
  });
}
