import { type CheckId, DomainError, MASK, notFound } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import type { CheckModel } from "../row.ts";
import { lockCheckRow, patchCheckRow } from "../store.ts";
import { newPushColumns } from "./push-token.ts";

/**
 * Gives a pushed check another URL and returns its row; the former URL is not known from then on.
 * @throws DomainError `not_found`, or `invalid` for a check that is probed
 */
export async function rotatePushUrl(ctx: TeamContext, { id }: { id: CheckId }): Promise<CheckModel> {
  const { services, teamId } = ctx;
  return changeRecord(ctx, async (trx) => {
    const current = await lockCheckRow(trx, teamId, id);
    if (!current) throw notFound("Check");
    if (current.pushTokenHash === null)
      throw new DomainError(
        "invalid",
        `A check of type ${current.type} is probed: it has no URL to report to`,
      );
    const updatedAt = new Date(services.clock.nowMs()).toISOString();
    const result = await patchCheckRow(trx, current.key, {
      ...newPushColumns(services.secrets, current.id),
      updatedAt,
    });
    const { name } = result;
    const changedFields = [{ field: "pushUrl", oldValue: MASK, newValue: MASK, redacted: true as const }];
    return {
      result,
      changes: [{ action: "updated", type: "check", resourceId: id, name, changedFields }],
    };
  });
}
