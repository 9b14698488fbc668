/**
 * The one way to change a configuration record: the change and its entry in the change log are one transaction, and the
 * callback can't return without saying what it changed.
 */
import { type ChangeAction, type ChangedField, type ChangeType, newId } from "@svc/contract";
import type { Knex } from "knex";
import type { TeamContext } from "../../platform/team-context.ts";
import { recordAuditOfChange } from "../audit/audit-of-change.ts";
import { findActorName } from "../audit/store.ts";
import { assertWithinCaps } from "../caps/assert-within-caps.ts";
import { shortenFields } from "./shorten-fields.ts";

/** An entry of the change log. */
export interface ChangeEntry {
  action: ChangeAction;
  type: ChangeType;
  resourceId: string;
  name: string | null;
  /** Fields that an update changed, secrets masked. An update without any leaves no entry. */
  changedFields?: readonly ChangedField[];
}

/** Outcome of a change: what the verb answers, and the entries of the records that it changed. */
export interface RecordedChange<Result> {
  result: Result;
  changes: readonly ChangeEntry[];
}

/**
 * Runs `change` in a transaction of its own and writes its entries into the change log in that transaction.
 * @returns the result of `change`
 * @throws DomainError `limit_exceeded` when the team would store more than it may; whatever `change` throws. Then nothing is
 *   stored
 */
export function changeRecord<Result>(
  ctx: TeamContext,
  change: (trx: Knex) => Promise<RecordedChange<Result>>,
): Promise<Result> {
  const { knex } = ctx.services;
  return knex.transaction(async (trx) => {
    const result = await changeRecordIn(ctx, trx, change);
    // A transaction around this one goes on to add more: it holds the caps once, at its own end.
    if (!knex.isTransaction) await assertWithinCaps(trx, ctx);
    return result;
  });
}

/** Does the work of {@link changeRecord} within a transaction that is already open, and that holds the caps at its end. */
export async function changeRecordIn<Result>(
  ctx: TeamContext,
  trx: Knex,
  change: (trx: Knex) => Promise<RecordedChange<Result>>,
): Promise<Result> {
  const { result, changes } = await change(trx);
  for (const entry of changes) await writeEntry(ctx, trx, entry);
  return result;
}

async function writeEntry(ctx: TeamContext, trx: Knex, entry: ChangeEntry): Promise<void> {
  const { changedFields = [], ...columns } = entry;
  if (entry.action === "updated" && changedFields.length === 0) return;
  const { services, teamId } = ctx;
  const { source, actor } = ctx.author;
  const atMs = services.clock.nowMs();
  const actorName = actor === null ? (ctx.author.name ?? null) : await findActorName(trx, actor);
  await trx("changes").insert({
    ...columns,
    source,
    actor,
    actorName,
    id: newId("change"),
    teamId,
    changedFields: JSON.stringify(shortenFields(changedFields)),
    createdAt: new Date(atMs),
  });
  await services.onChange(trx, { ...columns, source, actor, teamId, atMs });
  await recordAuditOfChange(ctx, trx, entry);
}
