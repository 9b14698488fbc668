import { notFound, type StatusPage, type StatusPageId, type UpdateStatusPage } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { changedFields } from "../../accounts/change-log/changed-fields.ts";
import { assertSameVersion } from "../../platform/http/record-version.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { assertMailServer } from "./assert-mail-server.ts";
import { componentsToStore } from "./component-keys.ts";
import { conflictWhenSlugInUse } from "./conflict-of-slug.ts";
import { getPage } from "./get-page.ts";
import { describePage } from "./row.ts";
import { lockPageRow, patchPage, replaceComponents } from "./store.ts";

/**
 * Changes the given fields of a status page. Notices keep the names of components that go.
 * @throws DomainError `not_found`, `invalid` when the team has no such check or the service no mail server for subscriptions, or `conflict` when the slug is in use
 */
export async function updatePage(
  ctx: TeamContext,
  { id, update }: { id: StatusPageId; update: UpdateStatusPage },
): Promise<StatusPage> {
  const { teamId, services } = ctx;
  await conflictWhenSlugInUse(update.slug, () =>
    changeRecord(ctx, async (trx) => {
      const current = await lockPageRow(trx, teamId, id);
      if (!current) throw notFound("Status page");
      assertSameVersion(ctx, current);
      if (!current.hasMailSubscriptions) assertMailServer(services.config, update.subscriptions);
      await patchPage(trx, current.key, {
        slug: update.slug ?? current.slug,
        title: update.title ?? current.title,
        description: update.description ?? current.description,
        isPublished: update.isPublished ?? current.isPublished,
        hasMailSubscriptions: update.subscriptions?.email ?? current.hasMailSubscriptions,
        updatedAtMs: services.clock.nowMs(),
      });
      if (update.components)
        await replaceComponents(trx, current.key, await componentsToStore(trx, teamId, update.components));
      const updated = await lockPageRow(trx, teamId, id);
      return {
        result: undefined,
        changes: [
          {
            action: "updated",
            type: "status_page",
            resourceId: id,
            name: updated?.slug ?? current.slug,
            changedFields: updated ? changedFields(describePage(current), describePage(updated)) : [],
          },
        ],
      };
    }),
  );
  return getPage(ctx, { id });
}
