import { notFound, type StatusNotice, type StatusPageId, statusNoticeSchema } from "@svc/contract";
import * as z from "zod";
import type { ListSource } from "../../platform/http/list-answer.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { findPageRow } from "../pages/store.ts";
import { noticeFromRow } from "./notice.ts";
import {
  findNoticeRow,
  listNoticeRows,
  listNoticeRowsOfTeam,
  type NoticeKey,
  type NoticeRow,
} from "./store.ts";

/**
 * Returns a notice of a page.
 * @throws DomainError `not_found` when the team has no such page, or the page no such notice
 */
export async function getNotice(
  { services, teamId }: TeamContext,
  { id, noticeId }: NoticeKey,
): Promise<StatusNotice> {
  const page = await findPageRow(services.knex, teamId, id);
  const row = page && (await findNoticeRow(services.knex, page.key, noticeId));
  if (!row) throw notFound("Notice");
  return noticeFromRow(row, services.clock.nowMs());
}

/**
 * Returns the list of a page's notices, newest first.
 * @throws DomainError `not_found` when the team has no such page
 */
export async function listNotices(
  { services, teamId }: TeamContext,
  { id }: { id: StatusPageId },
): Promise<ListSource<NoticeRow>> {
  const page = await findPageRow(services.knex, teamId, id);
  if (!page) throw notFound("Status page");
  return {
    read: (after, rowsMax) => listNoticeRows(services.knex, page.key, { after, rowsMax }),
    isFull: true,
    textOf: (row) => JSON.stringify(z.encode(statusNoticeSchema, noticeFromRow(row, services.clock.nowMs()))),
    cursorOf: (row) => [row.createdAt, row.key],
  };
}

/** Returns the list of all notices of the team, each with the id of its page as `statusPageId`, newest first. */
export function listNoticesOfTeam({
  services,
  teamId,
}: TeamContext): ListSource<NoticeRow & { pageId: StatusPageId }> {
  return {
    read: (after, rowsMax) => listNoticeRowsOfTeam(services.knex, teamId, { after, rowsMax }),
    isFull: true,
    textOf: (row) =>
      JSON.stringify({ statusPageId: row.pageId, ...noticeFromRow(row, services.clock.nowMs()) }),
    cursorOf: (row) => [row.key],
  };
}
