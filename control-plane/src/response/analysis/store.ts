/** All SQL of analyses. Every read is scoped by team, or by a check that the caller has found to be the team's. */
import type { Insight, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { AnalysisUse } from "./limits.ts";

/** What is used up. Other analyses of the team wait until the transaction ends, so that none counts past the other. */
export async function readUseExclusively(
  trx: Knex,
  teamId: TeamId,
  checkKey: number,
  monthFromMs: number,
): Promise<Omit<AnalysisUse, "planQuotaPerMonth">> {
  await trx("teams").where({ id: teamId }).forNoKeyUpdate().first("id");
  const [use] = await queryRows<Omit<AnalysisUse, "planQuotaPerMonth">>(
    trx,
    `SELECT count(*) FILTER (WHERE check_key = :checkKey)::integer AS "ofCheck",
       (extract(epoch FROM max(requested_at) FILTER (WHERE check_key = :checkKey)) * 1000)::bigint AS "lastOfCheckMs",
       count(*) FILTER (WHERE requested_at >= :monthFrom)::integer AS "ofTeamThisMonth"
     FROM analyses WHERE team_id = :teamId`,
    { teamId, checkKey, monthFrom: new Date(monthFromMs) },
  );
  if (!use) throw new Error("an aggregate gave no row");
  return use;
}

/** @returns the analysis' key */
export async function insertAnalysis(
  trx: Knex,
  teamId: TeamId,
  checkKey: number,
  requestedAt: Date,
): Promise<number> {
  const [row] = await trx("analyses").insert({ teamId, checkKey, requestedAt }).returning("key");
  return row.key;
}

export async function saveInsight(
  db: Knex,
  key: number,
  insight: Insight,
  newestSlotMs: number | undefined,
): Promise<void> {
  await db("analyses")
    .where({ key })
    .update({ insight: JSON.stringify(insight), newestSlotMs: newestSlotMs ?? null });
}

/** An analysis that came to nothing counts for nothing. */
export async function deleteAnalysis(db: Knex, key: number): Promise<void> {
  await db("analyses").where({ key }).delete();
}

export async function countAnalyses(db: Knex, checkKey: number): Promise<number> {
  const [row] = await db("analyses").where({ checkKey }).count({ count: "*" });
  return Number(row?.count);
}

/** The newest finished one. */
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
