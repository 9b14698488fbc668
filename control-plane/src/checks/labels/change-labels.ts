import { type CheckId, invalidField, LABELS_MAX, notFound } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { changedFields } from "../../accounts/change-log/changed-fields.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { lockCheckRow } from "../store.ts";
import { readLabels, writeLabels } from "./store.ts";

/**
 * Changes the labels of a check.
 * @param input.labelsOf makes the new labels of those that the check has
 * @returns the labels in alphabetical order
 * @throws DomainError `not_found`, or `invalid` when they would be too many
 */
export async function changeLabels(
  ctx: TeamContext,
  { id, labelsOf }: { id: CheckId; labelsOf: (before: readonly string[]) => readonly string[] },
): Promise<string[]> {
  return changeRecord(ctx, async (trx) => {
    const check = await lockCheckRow(trx, ctx.teamId, id);
    if (!check) throw notFound("Check");
    const before = await readLabels(trx, check.key);
    const wanted = labelsOf(before);
    if (wanted.length > LABELS_MAX) throw invalidField("labels", `at most ${LABELS_MAX} labels`);
    await writeLabels(trx, check.key, wanted);
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
