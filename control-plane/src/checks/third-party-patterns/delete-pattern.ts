import { DomainError, notFound, type ThirdPartyPatternId } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { deletePatternRow, findSloUsingPattern, lockPatternRow } from "./store.ts";

/**
 * Deletes a third-party pattern.
 * @throws DomainError `not_found`, also the second time; `conflict` while an SLO refers to it, naming the SLO
 */
export async function deletePattern(ctx: TeamContext, { id }: { id: ThirdPartyPatternId }): Promise<void> {
  await changeRecord(ctx, async (trx) => {
    const pattern = await lockPatternRow(trx, ctx.teamId, id);
    if (!pattern) throw notFound("Third-party pattern");
    const slo = await findSloUsingPattern(trx, id);
    if (slo !== undefined)
      throw new DomainError("conflict", `Third-party pattern "${pattern.name}" is used by the SLO "${slo}"`);
    await deletePatternRow(trx, pattern.key);
    return {
      result: undefined,
      changes: [{ action: "deleted", type: "third_party_pattern", resourceId: id, name: pattern.name }],
    };
  });
}
