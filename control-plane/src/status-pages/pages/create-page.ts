import { type CreateStatusPage, newId, type StatusPage } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { assertMailServer } from "./assert-mail-server.ts";
import { componentsToStore } from "./component-keys.ts";
import { conflictWhenSlugInUse } from "./conflict-of-slug.ts";
import { getPage } from "./get-page.ts";
import { insertPage, replaceComponents } from "./store.ts";

/**
 * Stores a status page.
 * @throws DomainError `invalid` when the team has no such check or the service no mail server for subscriptions, `conflict` when the slug is in use, `limit_exceeded`
 */
export async function createPage(ctx: TeamContext, input: CreateStatusPage): Promise<StatusPage> {
  const { teamId, services } = ctx;
  const { slug, title, description, isPublished, subscriptions, components } = input;
  assertMailServer(services.config, subscriptions);
  const id = newId("statusPage");
  await conflictWhenSlugInUse(slug, () =>
    changeRecord(ctx, async (trx) => {
      const stored = await componentsToStore(trx, teamId, components);
      const createdAtMs = services.clock.nowMs();
      const key = await insertPage(trx, {
        id,
        teamId,
        slug,
        title,
        description,
        isPublished,
        hasMailSubscriptions: subscriptions.email,
        createdAtMs,
      });
      await replaceComponents(trx, key, stored);
      return {
        result: undefined,
        changes: [{ action: "created", type: "status_page", resourceId: id, name: slug }],
      };
    }),
  );
  return getPage(ctx, { id });
}
