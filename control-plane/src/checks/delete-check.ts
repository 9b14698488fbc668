import { type CheckId, notFound } from "@svc/contract";
import type { Knex } from "knex";
import { type ChangeEntry, changeRecord } from "../accounts/change-log/change-record.ts";
import { wakeFleets } from "../platform/db/wake-ups.ts";
import { assertSameVersion } from "../platform/http/record-version.ts";
import type { TeamContext } from "../platform/team-context.ts";
import { keepDeletedCheck } from "./deleted-check-store.ts";
import type { CheckModel } from "./row.ts";
import { deleteCheckRow, findCheckRow, lockCheckRow } from "./store.ts";

/** Records of higher layers that hang on a check; handed in by the composition root. */
export interface CheckDependents {
  /**
   * Makes sure that the records can stay as they are while the check gets a new configuration; its row is locked.
   * @throws DomainError `invalid`, naming a record that can't
   */
  assertAllow?(trx: Knex, check: CheckModel, config: Record<string, unknown>): Promise<void>;
  /** Ends what is open, such as alerts, before the check's row is locked. */
  end?(ctx: TeamContext, trx: Knex, checkKey: number): Promise<void>;
  /** Returns the change-log entries of records that are deleted with the check's row, which is locked. */
  entriesOfDeleted?(ctx: TeamContext, trx: Knex, check: CheckModel): Promise<readonly ChangeEntry[]>;
  /** Copies the events that outlive the check's row, which is locked; its row of deleted checks is there already. */
  keepEvents?(trx: Knex, checkKey: number): Promise<void>;
}

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
    changes.push({ action: "deleted", type: "check", resourceId: check.id, name: check.name });
    return { result: undefined, changes };
  });
}
