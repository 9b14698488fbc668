import { type CheckId, notFound } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { changedFields } from "../../accounts/change-log/changed-fields.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { lockCheckRow } from "../store.ts";
import { readLabels, writeLabels } from "./store.ts";

/**
 * Gives a check these labels and no others.
 * @returns the labels in alphabetical order
 * @throws DomainError `not_found`
 */
export async function setLabels(
  ctx: TeamContext,
  { id, labels }: { id: CheckId; labels: readonly string[] },
): Promise<string[]> {
  return changeRecord(ctx, async (trx) => {
    const check = await lockCheckRow(trx, ctx.teamId, id);
    if (!check) throw notFound("Check");
    const before = await readLabels(trx, check.key);
    await writeLabels(trx, check.key, labels);
    const after = await readLabels(trx, check.key);
    return {
      result: after,
      changes: [
        {
          action: "updated",
          type: "check",
          resourceId: check.id,
          name: check.name,
          changedFields: changedFields({ labels: before }, { labels: after }),
        },
      ],
    };
  });
}
