/** SQL of the longest period among checks, by which the range of their newest results is known. */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { type NamedBindings, queryRows } from "../platform/db/rows.ts";
import { type NewestRange, newestRangeOf } from "./newest-range.ts";

/** Returns the range in which the newest results of the team's checks lie that say how these stand. */
export function newestRangeOfTeam(db: Knex, teamId: TeamId, nowMs: number): Promise<NewestRange> {
  return newestRangeOfPage(
    db,
    { checks: "SELECT frequency_seconds FROM checks WHERE team_id = :teamId", bindings: { teamId } },
    nowMs,
  );
}

/** Returns the range in which the newest results of these checks lie that say how these stand. */
export function newestRangeOfChecks(
  db: Knex,
  checkKeys: readonly number[],
  nowMs: number,
): Promise<NewestRange> {
  return newestRangeOfPage(
    db,
    {
      checks: "SELECT frequency_seconds FROM checks WHERE key = ANY(CAST(:checkKeys AS bigint[]))",
      bindings: { checkKeys: `{${checkKeys.join(",")}}` },
    },
    nowMs,
  );
}

/**
 * Returns the range in which the newest results lie of the checks that a SELECT returns, with their `frequency_seconds`, and that say how
 * these stand.
 */
export async function newestRangeOfPage(
  db: Knex,
  { checks, bindings }: { checks: string; bindings: NamedBindings },
  nowMs: number,
): Promise<NewestRange> {
  const [row] = await queryRows<{ seconds: number | null }>(
    db,
    `SELECT max(frequency_seconds) AS seconds FROM (${checks}) c`,
    bindings,
  );
  return newestRangeOf(row?.seconds ?? 0, nowMs);
}
