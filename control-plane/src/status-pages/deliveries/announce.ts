/** Notifies the subscribers of a page of its notices. The content is fixed in the transaction that changes the notice. */
import type { NoticeKind, StatusNoticeId } from "@svc/contract";
import type { Knex } from "knex";
import type { NoticeValues } from "../notices/store.ts";
import type { PageRow } from "../pages/store.ts";
import { type AnnouncementContent, insertAnnouncement } from "./announcement-store.ts";

/** A notice with what is about to be stored of it. */
export interface ChangedNotice {
  key: number;
  id: StatusNoticeId;
  kind: NoticeKind;
  values: NoticeValues;
}

/** Tells of the newest update of a notice. Does nothing when the page is not published or nobody subscribes. */
export async function announceUpdate(
  trx: Knex,
  page: PageRow,
  { key, id, kind, values }: ChangedNotice,
): Promise<void> {
  const update = values.updates.at(-1);
  if (!update || !page.isPublished || page.subscriberCount === 0) return;
  const { title, impact, components, startsAtMs, endsAtMs, updates } = values;
  const content: AnnouncementContent = {
    eventType: updates.length === 1 ? "notice.created" : "notice.updated",
    occurredAt: update.at,
    notice: {
      id,
      kind,
      title,
      impact,
      components: [...components],
      startsAt: new Date(startsAtMs).toISOString(),
      endsAt: endsAtMs === null ? null : new Date(endsAtMs).toISOString(),
    },
    update,
  };
  await insertAnnouncement(trx, {
    pageKey: page.key,
    teamId: page.teamId,
    noticeKey: key,
    occasion: `update:${updates.length}`,
    content,
  });
}
