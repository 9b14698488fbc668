/** SQL of the longest period among checks, by which the range of their newest results is known. */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../platform/db/rows.ts";
import { type NewestRange, newestRangeOf } from "./newest-range.ts";

/** Returns the range in which the newest results of the team's checks lie that say how these stand. */
export function newestRangeOfTeam(db: Knex, teamId: TeamId, nowMs: number): Promise<NewestRange> {
  return readRange(db, { condition: "team_id = ?", binding: teamId, nowMs });
}

/** Returns the range in which the newest results of these checks lie that say how these stand. */
export function newestRangeOfChecks(
  db: Knex,
  checkKeys: readonly number[],
  nowMs: number,
): Promise<NewestRange> {
  return readRange(db, {
    condition: "key = ANY(CAST(? AS bigint[]))",
    binding: `{${checkKeys.join(",")}}`,
    nowMs,
  });
}

async function readRange(
  db: Knex,
  { condition, binding, nowMs }: { condition: string; binding: string; nowMs: number },
): Promise<NewestRange> {
  const [row] = await queryRows<{ seconds: number | null }>(
    db,
    `SELECT max(frequency_seconds) AS seconds FROM checks WHERE ${condition}`,
    [binding],
  );
  return newestRangeOf(row?.seconds ?? 0, nowMs);
}
