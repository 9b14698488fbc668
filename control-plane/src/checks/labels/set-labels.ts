import { type CheckId, notFound, type TeamId } from "@svc/contract";
import { changedFields } from "../../accounts/change-log/changed-fields.ts";
import { recordChange } from "../../accounts/change-log/store.ts";
import type { Services } from "../../platform/services.ts";
import type { Author } from "../../platform/team-context.ts";
import { lockCheckRow } from "../store.ts";
import { readLabels, writeLabels } from "./store.ts";

/** Gives a check these labels and no others. @returns them in alphabetical order   @throws DomainError not_found */
export async function setLabels(
  { knex, clock }: Services,
  teamId: TeamId,
  checkId: CheckId,
  labels: readonly string[],
  author: Author,
): Promise<string[]> {
  return knex.transaction(async (trx) => {
    const check = await lockCheckRow(trx, teamId, checkId);
    if (!check) throw notFound("Check");
    const before = await readLabels(trx, check.key);
    await writeLabels(trx, check.key, labels);
    const after = await readLabels(trx, check.key);
    await recordChange(trx, {
      ...{ teamId, author, action: "updated", type: "check", atMs: clock.nowMs() },
      ...{ resourceId: check.id, name: check.name },
      changedFields: changedFields({ labels: before }, { labels: after }),
    });
    return after;
  });
}
