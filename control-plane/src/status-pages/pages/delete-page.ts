import { notFound, type StatusPageId } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { assertSameVersion } from "../../platform/http/record-version.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { deletePageRow, lockPageRow } from "./store.ts";

/**
 * Deletes a status page with its notices and subscribers. Its slug is free for any team then.
 * @throws DomainError `not_found`, also the second time
 */
export async function deletePage(ctx: TeamContext, { id }: { id: StatusPageId }): Promise<void> {
  await changeRecord(ctx, async (trx) => {
    const row = await lockPageRow(trx, ctx.teamId, id);
    if (!row) throw notFound("Status page");
    assertSameVersion(ctx, row);
    await deletePageRow(trx, row.key);
    return {
      result: undefined,
      changes: [{ action: "deleted", type: "status_page", resourceId: id, name: row.slug }],
    };
  });
}
