/** Labels of checks in the database. */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";

/** A check's labels, in alphabetical order. */
export async function readLabels(db: Knex, checkKey: number): Promise<string[]> {
  const rows = await queryRows<{ label: string }>(
    db,
    `SELECT label FROM check_labels WHERE check_key = ? ORDER BY label COLLATE "C"`,
    [checkKey],
  );
  return rows.map((row) => row.label);
}

/** The labels of the team's checks that have any, by the checks' ids. */
export async function readTeamLabels(db: Knex, teamId: TeamId): Promise<Record<string, string[]>> {
  const rows = await queryRows<{ id: string; labels: string[] }>(
    db,
    `SELECT c.id, array_agg(l.label ORDER BY l.label COLLATE "C") AS labels
     FROM checks c JOIN check_labels l ON l.check_key = c.key WHERE c.team_id = ? GROUP BY c.id ORDER BY c.id`,
    [teamId],
  );
  return Object.fromEntries(rows.map((row) => [row.id, row.labels]));
}

/** Makes these the check's labels. */
export async function writeLabels(trx: Knex, checkKey: number, labels: readonly string[]): Promise<void> {
  await trx("checkLabels").where({ checkKey }).delete();
  await trx.raw(
    `INSERT INTO check_labels (check_key, team_id, label)
     SELECT key, team_id, unnest(?::text[]) FROM checks WHERE key = ?`,
    [[...labels], checkKey],
  );
}
