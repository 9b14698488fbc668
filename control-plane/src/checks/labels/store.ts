/** Labels of checks in the database. */
import type { CheckId, TeamId } from "@svc/contract";
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

/** Labels of one check. */
export interface LabelsRow {
  id: CheckId;
  /** In alphabetical order. */
  labels: string[];
}

/** Checks whose labels are read at once. */
const CHECKS_AT_ONCE = 1_000;

/** Reads the labels of the team's checks that have any, by the checks' ids, from behind this id on. */
export function readTeamLabels(db: Knex, teamId: TeamId, afterId: CheckId | undefined): Promise<LabelsRow[]> {
  return queryRows(
    db,
    `SELECT c.id, array_agg(l.label ORDER BY l.label COLLATE "C") AS labels
     FROM checks c JOIN check_labels l ON l.check_key = c.key
     WHERE c.team_id = :teamId ${afterId === undefined ? "" : "AND c.id > :afterId"}
     GROUP BY c.id ORDER BY c.id LIMIT ${CHECKS_AT_ONCE}`,
    { teamId, ...(afterId !== undefined && { afterId }) },
  );
}

/** Reads the labels of these checks, of those that have any. */
export function readLabelsOfChecks(db: Knex, checkKeys: readonly number[]): Promise<LabelsRow[]> {
  return queryRows(
    db,
    `SELECT c.id, array_agg(l.label ORDER BY l.label COLLATE "C") AS labels
     FROM checks c JOIN check_labels l ON l.check_key = c.key
     WHERE c.key = ANY(?) GROUP BY c.id`,
    [checkKeys],
  );
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
