/** All SQL of analyses. Every read is scoped by team, or by a check that the caller has found to be the team's. */
import type { Insight, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { AnalysisUse } from "./limits.ts";

/** The check and the month whose analyses are counted. */
export interface AnalysisUseInput {
  teamId: TeamId;
  checkKey: number;
  /** Start of the month, Unix ms. */
  monthFromMs: number;
}

/**
 * Returns the analyses so far. Other analyses of the team wait until the transaction ends, so that calls at once can't pass
 * the limits together.
 */
export async function readUseExclusively(
  trx: Knex,
  { teamId, checkKey, monthFromMs }: AnalysisUseInput,
): Promise<Omit<AnalysisUse, "planQuotaPerMonth">> {
  await trx("teams").where({ id: teamId }).forNoKeyUpdate().first("id");
  const [use] = await queryRows<Omit<AnalysisUse, "planQuotaPerMonth">>(
    trx,
    `SELECT count(*) FILTER (WHERE check_key = :checkKey)::integer AS of_check,
       (extract(epoch FROM max(requested_at) FILTER (WHERE check_key = :checkKey)) * 1000)::bigint AS last_of_check_ms,
       count(*) FILTER (WHERE requested_at >= :monthFrom)::integer AS of_team_this_month
     FROM analyses WHERE team_id = :teamId`,
    { teamId, checkKey, monthFrom: new Date(monthFromMs) },
  );
  if (!use) throw new Error("an aggregate gave no row");
  return use;
}

/** Stores an analysis that begins, and returns its key. */
export async function insertAnalysis(
  trx: Knex,
  analysis: { teamId: TeamId; checkKey: number; requestedAt: Date },
): Promise<number> {
  const [row] = await trx("analyses").insert(analysis).returning("key");
  return row.key;
}

/** Stores the insight of an analysis, with the slot of the newest result that it knows. */
export async function saveInsight(
  db: Knex,
  key: number,
  { insight, newestSlotMs }: { insight: Insight; newestSlotMs: number | undefined },
): Promise<void> {
  await db("analyses")
    .where({ key })
    .update({ insight: JSON.stringify(insight), newestSlotMs: newestSlotMs ?? null });
}

/** Deletes an analysis that failed, so that it is not counted. */
export async function deleteAnalysis(db: Knex, key: number): Promise<void> {
  await db("analyses").where({ key }).delete();
}

/** Returns the number of analyses of a check. */
export async function countAnalyses(db: Knex, checkKey: number): Promise<number> {
  const [row] = await db("analyses").where({ checkKey }).count({ count: "*" });
  return Number(row?.count);
}

/** Returns the newest insight of a check, with the slot of the newest result that it knows. */
export async function findLastAnalysis(
  db: Knex,
  checkKey: number,
): Promise<{ insight: Insight; newestSlotMs: number | null } | undefined> {
  return db("analyses")
    .where({ checkKey })
    .whereNotNull("insight")
    .orderBy("key", "desc")
    .first("insight", "newestSlotMs");
}
