import { isDeepStrictEqual } from "node:util";
import { type CheckId, invalidField, LABELS_MAX, notFound } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { changedFields } from "../../accounts/change-log/changed-fields.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import type { CheckDependents } from "../check-dependents.ts";
import { lockCheckRow } from "../store.ts";
import { readLabels, writeLabels } from "./store.ts";

/** The check, its new labels, and the parts of the service that depend on it. */
export interface ChangeLabelsInput {
  id: CheckId;
  /** Makes the new labels of those that the check has. */
  labelsOf: (before: readonly string[]) => readonly string[];
  dependents: readonly CheckDependents[];
}

/**
 * Changes the labels of a check.
 * @returns the labels in alphabetical order
 * @throws DomainError `not_found`, or `invalid` when they would be too many
 */
export async function changeLabels(
  ctx: TeamContext,
  { id, labelsOf, dependents }: ChangeLabelsInput,
): Promise<string[]> {
  return changeRecord(ctx, async (trx) => {
    for (const dependent of dependents) await dependent.prepare?.(ctx, trx);
    const check = await lockCheckRow(trx, ctx.teamId, id);
    if (!check) throw notFound("Check");
    const before = await readLabels(trx, check.key);
    const wanted = labelsOf(before);
    if (wanted.length > LABELS_MAX) throw invalidField("labels", `at most ${LABELS_MAX} labels`);
    await writeLabels(trx, check.key, wanted);
    const after = await readLabels(trx, check.key);
    if (!isDeepStrictEqual(before, after))
      for (const dependent of dependents) await dependent.follow?.(ctx, trx, check);
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
