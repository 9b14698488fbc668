/**
 * All SQL of alert rules. Every read by a caller goes through `ofTeam`, so another team's rule does not exist, nor does a
 * deleted one. Each change carries its transaction (`changed_xid`) and counts the revision, for the rule cache.
 */
import { type CheckId, isId, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import objection from "objection";
import { queryRows } from "../../platform/db/rows.ts";
import type { EvaluatedRule } from "../evaluation/transitions.ts";
import { AlertRuleModel } from "./row.ts";

function ofTeam(db: Knex, teamId: TeamId) {
  return AlertRuleModel.query(db).where({ teamId }).whereNull("deletedAt");
}

/** Oldest first. */
export async function listRuleRows(db: Knex, teamId: TeamId, checkKey: number): Promise<AlertRuleModel[]> {
  return ofTeam(db, teamId).where({ checkKey }).orderBy("key");
}

/** Those of all checks that people wrote, with the ids of their checks; oldest first. */
export async function listTeamRuleRows(
  db: Knex,
  teamId: TeamId,
): Promise<(AlertRuleModel & { checkId: CheckId })[]> {
  const rows = await AlertRuleModel.query(db)
    .join("checks as c", "c.key", "alertRules.checkKey")
    .where("alertRules.teamId", teamId)
    .whereNull("alertRules.deletedAt")
    .whereNull("alertRules.sloKey")
    .select("alertRules.*", "c.id as checkId")
    .orderBy("alertRules.key");
  return rows as (AlertRuleModel & { checkId: CheckId })[];
}

/** The rules that an SLO generated, under its lock. */
export async function listRuleRowsOfSlo(trx: Knex, sloKey: number): Promise<AlertRuleModel[]> {
  return AlertRuleModel.query(trx).where({ sloKey }).whereNull("deletedAt").orderBy("key");
}

/** Which of these SLOs are the team's. Not held: one may be deleted later all the same. */
export async function findSloIds(db: Knex, teamId: TeamId, ids: readonly string[]): Promise<string[]> {
  return ids.length === 0 ? [] : db("slos").where({ teamId }).whereIn("id", ids).pluck("id");
}

/** Ids of the SLOs with these keys. */
export async function readSloIds(db: Knex, keys: readonly number[]): Promise<Map<number, string>> {
  if (keys.length === 0) return new Map();
  const rows: { key: number; id: string }[] = await db("slos").whereIn("key", keys).select("key", "id");
  return new Map(rows.map(({ key, id }) => [key, id]));
}

export async function findRuleRow(db: Knex, teamId: TeamId, id: string): Promise<AlertRuleModel | undefined> {
  return isId("alertRule", id) ? ofTeam(db, teamId).findOne({ id }) : undefined;
}

/** The same, locked until the transaction ends. */
export async function lockRuleRow(
  trx: Knex,
  teamId: TeamId,
  id: string,
): Promise<AlertRuleModel | undefined> {
  return isId("alertRule", id) ? ofTeam(trx, teamId).findOne({ id }).forUpdate() : undefined;
}

export async function insertRuleRow(db: Knex, row: Partial<AlertRuleModel>): Promise<AlertRuleModel> {
  return AlertRuleModel.query(db).insert(row).returning("*");
}

export async function patchRuleRow(db: Knex, key: number, patch: Partial<AlertRuleModel>): Promise<void> {
  await AlertRuleModel.query(db)
    .findById(key)
    .patch({
      ...patch,
      revision: objection.raw("revision + 1"),
      changedXid: objection.raw("pg_current_xact_id()"),
    } as unknown as Partial<AlertRuleModel>);
}

/** A rule as it is now, for the rule cache. */
export interface ChangedRule extends Omit<EvaluatedRule, "conditions"> {
  revision: number;
  /** Enabled and not deleted. */
  isActive: boolean;
  conditionsJson: string;
}

/** What an evaluation has to know before it looks at results, as of one snapshot. */
export interface AlertNews {
  /** From where to read the next time: xid8 as text. */
  horizon: string;
  /** The rules that changed in a transaction at or after `since`. */
  rules: ChangedRule[];
  /** Of the checks asked about, those with an open instance or a confirmation under way: each of their results matters. */
  underWay: number[];
}

/** One read, because each result's transaction makes it. */
export async function readAlertNews(
  db: Knex,
  since: string,
  checkKeys: readonly number[],
): Promise<AlertNews> {
  const keys = `{${checkKeys.join(",")}}`;
  const rows = await queryRows<ChangedRule & { horizon: string; underWay: number[] | null }>(
    db,
    // The keys are rows, not a list in the conditions: over a list of hundreds the planner takes longer than the read.
    `WITH asked AS MATERIALIZED (SELECT unnest(?::bigint[]) AS key)
     SELECT one.horizon, one.under_way AS "underWay", r.key, r.id, r.check_key AS "checkKey",
       r.team_id AS "teamId", r.name, r.conditions::text AS "conditionsJson", r.channel_ids AS "channelIds", r.confirm,
       r.recovery_successes AS "recoverySuccesses", r.revision, r.enabled AND r.deleted_at IS NULL AS "isActive"
     FROM (SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon,
             (SELECT json_agg(check_key) FROM (
                SELECT check_key FROM alert_instances
                  WHERE state IN ('active', 'acknowledged') AND check_key IN (SELECT key FROM asked)
                UNION SELECT check_key FROM alert_confirmations WHERE check_key IN (SELECT key FROM asked)) u)
             AS under_way) AS one
     LEFT JOIN alert_rules r ON r.changed_xid >= ?::text::xid8`,
    [keys, since],
  );
  const [first] = rows;
  return {
    horizon: first?.horizon ?? since,
    underWay: first?.underWay ?? [],
    rules: rows.filter(({ key }) => key !== null).map(({ horizon, underWay, ...rule }) => rule),
  };
}

/** Keys above `afterKey` of enabled checks with an enabled rule that has a condition of one of these types; ascending. */
export async function readChecksOfTimedRules(
  db: Knex,
  types: readonly string[],
  afterKey: number,
  limit: number,
): Promise<number[]> {
  const rows = await queryRows<{ checkKey: number }>(
    db,
    `SELECT DISTINCT r.check_key AS "checkKey" FROM alert_rules r JOIN checks c ON c.key = r.check_key
     WHERE r.enabled AND r.deleted_at IS NULL AND c.enabled AND r.check_key > ?
       AND EXISTS (SELECT FROM jsonb_array_elements(r.conditions) AS e WHERE e ->> 'type' = ANY(?))
     ORDER BY 1 LIMIT ?`,
    [afterKey, types, limit],
  );
  return rows.map(({ checkKey }) => checkKey);
}
