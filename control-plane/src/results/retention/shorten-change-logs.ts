/** Bounds the change log of each team: its oldest entries go once the newer ones have as many bytes as it may have. */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import { deleteInSteps } from "./delete-in-steps.ts";

/** Removes the oldest entries of the change logs that have more than `bytesMax` bytes. Harmless to repeat. */
export async function shortenChangeLogs(knex: Knex, bytesMax: number): Promise<void> {
  const tooLong = await queryRows<{ teamId: TeamId }>(
    knex,
    "SELECT team_id FROM changes GROUP BY team_id HAVING sum(stored_bytes) > ?",
    [bytesMax],
  );
  for (const { teamId } of tooLong) {
    const newest = await findNewestSuperfluousKey(knex, teamId, bytesMax);
    if (newest === undefined) continue;
    await deleteInSteps(knex, {
      table: "changes",
      condition: "team_id = ? AND key <= ?",
      binding: [teamId, newest],
    });
  }
}

/** Returns the key of the newest entry behind which the log is long enough; undefined when there is none. */
async function findNewestSuperfluousKey(
  knex: Knex,
  teamId: TeamId,
  bytesMax: number,
): Promise<number | undefined> {
  const [row] = await queryRows<{ key: number | null }>(
    knex,
    `SELECT max(key) AS key FROM (
       SELECT key, sum(stored_bytes) OVER (ORDER BY key DESC) - stored_bytes AS newer_bytes
       FROM changes WHERE team_id = ?) entries
     WHERE newer_bytes >= ?`,
    [teamId, bytesMax],
  );
  return row?.key ?? undefined;
}
