import { type CheckId, notFound } from "@svc/contract";
import { type ChangeEntry, changeRecord } from "../accounts/change-log/change-record.ts";
import { wakeFleets } from "../platform/db/wake-ups.ts";
import { assertSameVersion } from "../platform/http/record-version.ts";
import type { TeamContext } from "../platform/team-context.ts";
import type { CheckDependents } from "./check-dependents.ts";
import { keepDeletedCheck } from "./deleted-check-store.ts";
import { endDependencies } from "./dependencies/end-dependencies.ts";
import { lockDependencies } from "./dependencies/store.ts";
import { deleteCheckRow, findCheckRow, lockCheckRow } from "./store.ts";

/** The check to delete, and the parts of the service that end with it. */
export interface DeleteCheckInput {
  id: CheckId;
  dependents: readonly CheckDependents[];
}

/**
 * Deletes a check. The check is gone at once; its results follow in the background, once the feed and the export have
 * shown the last of them.
 * @throws DomainError `not_found`, also the second time
 */
export async function deleteCheck(ctx: TeamContext, { id, dependents }: DeleteCheckInput): Promise<void> {
  await changeRecord(ctx, async (trx) => {
    await lockDependencies(trx, ctx.teamId);
    const found = await findCheckRow(trx, ctx.teamId, id);
    if (!found) throw notFound("Check");
    // Before the row's lock, which an evaluation that is under way will want for its instance.
    for (const dependent of dependents) await dependent.end?.(ctx, trx, found.key);
    const check = await lockCheckRow(trx, ctx.teamId, id);
    if (!check) throw notFound("Check");
    assertSameVersion(ctx, check);
    const changes: ChangeEntry[] = [];
    for (const dependent of dependents)
      changes.push(...((await dependent.entriesOfDeleted?.(ctx, trx, check)) ?? []));
    await keepDeletedCheck(trx, check.key);
    for (const dependent of dependents) await dependent.keepEvents?.(trx, check.key);
    await deleteCheckRow(trx, check.key);
    await wakeFleets(trx, "checks");
    changes.push(...(await endDependencies(ctx, trx, check.id)));
    changes.push({ action: "deleted", type: "check", resourceId: check.id, name: check.name });
    return { result: undefined, changes };
  });
}
