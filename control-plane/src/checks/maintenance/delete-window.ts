import { type MaintenanceWindowId, notFound } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { assertSameVersion } from "../../platform/http/record-version.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { lockWindowRow, markWindowDeleted } from "./store.ts";

/**
 * Deletes a window; one that holds ends now.
 * @throws DomainError `not_found` (also the second time)
 */
export async function deleteWindow(ctx: TeamContext, { id }: { id: MaintenanceWindowId }): Promise<void> {
  const { teamId, services } = ctx;
  const nowMs = services.clock.nowMs();
  await changeRecord(ctx, async (trx) => {
    const row = await lockWindowRow(trx, { teamId, id, nowMs });
    if (!row) throw notFound("Maintenance window");
    assertSameVersion(ctx, row);
    await markWindowDeleted(trx, row.key, nowMs);
    return {
      result: undefined,
      changes: [{ action: "deleted", type: "maintenance_window", resourceId: row.id, name: row.name }],
    };
  });
}
