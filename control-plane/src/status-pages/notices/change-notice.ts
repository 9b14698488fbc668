/** Verbs that change notices. Each locks the page first, so that changes of its notices follow one another. */
import {
  type AddNoticeUpdate,
  type CreateStatusNotice,
  invalidField,
  NOTICE_STATUSES,
  newId,
  notFound,
  type StatusNotice,
  type StatusPageId,
  type UpdateStatusNotice,
} from "@svc/contract";
import type { Knex } from "knex";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { changedFields } from "../../accounts/change-log/changed-fields.ts";
import { assertSameVersion } from "../../platform/http/record-version.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { announceUpdate } from "../deliveries/announce.ts";
import { lockPageRow, type PageRow } from "../pages/store.ts";
import { getNotice } from "./list-notices.ts";
import { assertAgrees, assertComponents, assertTimes, valuesOf, withUpdate } from "./notice.ts";
import {
  deleteNoticeRow,
  findNoticeRow,
  insertNotice,
  type NoticeKey,
  type NoticeRow,
  type NoticeValues,
  patchNotice,
} from "./store.ts";

/**
 * Tells of an incident or of maintenance on a page.
 * @throws DomainError `not_found` when the team has no such page, `invalid`, `limit_exceeded`
 */
export async function createNotice(
  ctx: TeamContext,
  { id, notice }: { id: StatusPageId; notice: CreateStatusNotice },
): Promise<StatusNotice> {
  const { teamId, services } = ctx;
  const noticeId = newId("statusNotice");
  await changeRecord(ctx, async (trx) => {
    const page = await lockPageRow(trx, teamId, id);
    if (!page) throw notFound("Status page");
    assertComponents(notice.components, page.components);
    const nowMs = services.clock.nowMs();
    const { kind, title, components, text } = notice;
    const status = notice.status ?? NOTICE_STATUSES[kind][0];
    const isOver = status === "resolved" || status === "completed";
    if (isOver && notice.startsAt === undefined)
      throw invalidField("startsAt", `required with the status ${status}: when it began`);
    const startsAtMs = notice.startsAt === undefined ? nowMs : Date.parse(notice.startsAt);
    const endsAtMs = notice.endsAt ? Date.parse(notice.endsAt) : isOver ? nowMs : null;
    assertTimes({ startsAtMs, endsAtMs });
    assertAgrees({ kind, status, startsAtMs, endsAtMs }, nowMs);
    const values: NoticeValues = {
      title,
      impact: kind === "maintenance" ? null : (notice.impact ?? "degraded"),
      components,
      startsAtMs,
      endsAtMs,
      updates: [{ status, text, at: new Date(nowMs).toISOString() }],
    };
    const key = await insertNotice(trx, {
      id: noticeId,
      pageKey: page.key,
      teamId,
      kind,
      ...values,
      createdAtMs: nowMs,
    });
    await announceUpdate(trx, page, { key, id: noticeId, kind, values });
    return {
      result: undefined,
      changes: [{ action: "created", type: "status_notice", resourceId: noticeId, name: title }],
    };
  });
  return getNotice(ctx, { id, noticeId });
}

/**
 * Changes the given fields of a notice. Subscribers are notified of updates alone.
 * @throws DomainError `not_found`, `invalid`
 */
export function updateNotice(
  ctx: TeamContext,
  key: NoticeKey,
  update: UpdateStatusNotice,
): Promise<StatusNotice> {
  const change = (row: NoticeRow, page: PageRow): NoticeValues => {
    if (update.kind !== undefined && update.kind !== row.kind)
      throw invalidField("kind", `the kind of a notice can't change; this one is ${row.kind}`);
    if (row.kind === "maintenance" && update.impact)
      throw invalidField("impact", "maintenance has no impact: its components show maintenance");
    if (row.kind === "incident" && update.impact === null)
      throw invalidField("impact", "an incident has an impact");
    if (row.kind === "maintenance" && update.endsAt === null)
      throw invalidField("endsAt", "required for maintenance");
    // Names that the notice has already may be of components that have gone.
    const added = (update.components ?? []).filter((name) => !row.components.includes(name));
    assertComponents(added, page.components);
    const values = valuesOf(row);
    const changed = {
      ...values,
      title: update.title ?? values.title,
      impact: update.impact ?? values.impact,
      components: update.components ?? values.components,
      startsAtMs: update.startsAt === undefined ? values.startsAtMs : Date.parse(update.startsAt),
      endsAtMs:
        update.endsAt === undefined
          ? values.endsAtMs
          : update.endsAt === null
            ? null
            : Date.parse(update.endsAt),
    };
    assertTimes(changed);
    const { kind, updates } = row;
    const status = updates.at(-1)?.status ?? NOTICE_STATUSES[kind][0];
    const hasOtherTimes = changed.startsAtMs !== values.startsAtMs || changed.endsAtMs !== values.endsAtMs;
    const mayHaveEnded = kind === "maintenance";
    if (hasOtherTimes) assertAgrees({ kind, status, ...changed, mayHaveEnded }, ctx.services.clock.nowMs());
    return changed;
  };
  return changeNotice(ctx, key, { change });
}

/**
 * Adds an update to a notice, of which subscribers are notified.
 * @throws DomainError `not_found`, `invalid`, `conflict` or `limit_exceeded`; see {@link withUpdate}
 */
export function addNoticeUpdate(
  ctx: TeamContext,
  key: NoticeKey,
  update: AddNoticeUpdate,
): Promise<StatusNotice> {
  return changeNotice(ctx, key, {
    change: (row) => withUpdate(row, update, ctx.services.clock.nowMs()),
    announce: (trx, { page, row, values }) => announceUpdate(trx, page, { ...row, values }),
  });
}

/** A change of a notice, and how subscribers are notified of it; absent: they are not. */
interface NoticeChange {
  change: (row: NoticeRow, page: PageRow) => NoticeValues;
  announce?: (trx: Knex, changed: { page: PageRow; row: NoticeRow; values: NoticeValues }) => Promise<void>;
}

async function changeNotice(
  ctx: TeamContext,
  key: NoticeKey,
  { change, announce }: NoticeChange,
): Promise<StatusNotice> {
  await changeRecord(ctx, async (trx) => {
    const { page, row } = await lockNotice(ctx, trx, key);
    const values = change(row, page);
    await patchNotice(trx, row.key, { ...values, updatedAtMs: ctx.services.clock.nowMs() });
    await announce?.(trx, { page, row, values });
    return {
      result: undefined,
      changes: [
        {
          action: "updated",
          type: "status_notice",
          resourceId: key.noticeId,
          name: values.title,
          changedFields: changedFields(describe(valuesOf(row)), describe(values)),
        },
      ],
    };
  });
  return getNotice(ctx, key);
}

/**
 * Deletes a notice with its updates.
 * @throws DomainError `not_found`, also the second time
 */
export async function deleteNotice(ctx: TeamContext, key: NoticeKey): Promise<void> {
  await changeRecord(ctx, async (trx) => {
    const { row } = await lockNotice(ctx, trx, key);
    await deleteNoticeRow(trx, row.key);
    return {
      result: undefined,
      changes: [{ action: "deleted", type: "status_notice", resourceId: key.noticeId, name: row.title }],
    };
  });
}

async function lockNotice(
  ctx: TeamContext,
  trx: Knex,
  { id, noticeId }: NoticeKey,
): Promise<{ page: PageRow; row: NoticeRow }> {
  const page = await lockPageRow(trx, ctx.teamId, id);
  const row = page && (await findNoticeRow(trx, page.key, noticeId));
  if (!page || !row) throw notFound("Notice");
  assertSameVersion(ctx, row);
  return { page, row };
}

function describe({ startsAtMs, endsAtMs, ...values }: NoticeValues): Record<string, unknown> {
  return {
    ...values,
    startsAt: new Date(startsAtMs).toISOString(),
    endsAt: endsAtMs === null ? null : new Date(endsAtMs).toISOString(),
  };
}
