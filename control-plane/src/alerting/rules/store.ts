/**
 * SQL by which the verbs read and change alert rules. Every read for a caller goes through `ofTeam`: another team's rule
 * does not exist, nor does a deleted one. Each change marks the row with its transaction (`changed_xid`) and counts the
 * revision, by which the rule cache learns of it.
 */
import {
  type AlertPolicyId,
  type AlertRuleId,
  type CheckId,
  isId,
  type SloId,
  type TeamId,
} from "@svc/contract";
import type { Knex } from "knex";
import objection from "objection";
import { AlertRuleModel } from "./row.ts";

function ofTeam(db: Knex, teamId: TeamId) {
  return AlertRuleModel.query(db).where({ teamId }).whereNull("deletedAt");
}

/** A part of a list of rules. */
interface RuleRowsInput {
  /** Key of the rule before the part; absent: begin with the oldest. */
  afterKey: number | undefined;
  rowsMax: number;
}

/** Reads the check's rules behind `afterKey`, oldest first. */
export async function listRuleRows(
  db: Knex,
  teamId: TeamId,
  { checkKey, afterKey = 0, rowsMax }: RuleRowsInput & { checkKey: number },
): Promise<AlertRuleModel[]> {
  return ofTeam(db, teamId).where({ checkKey }).where("key", ">", afterKey).orderBy("key").limit(rowsMax);
}

/** Reads the rules that people wrote for these checks, oldest first. */
export async function listRuleRowsOfChecks(
  db: Knex,
  teamId: TeamId,
  checkKeys: readonly number[],
): Promise<AlertRuleModel[]> {
  return ofTeam(db, teamId)
    .whereIn("checkKey", checkKeys)
    .whereNull("sloKey")
    .whereNull("policyKey")
    .orderBy("key");
}

/** A rule with the id of its check. */
export type TeamRuleRow = AlertRuleModel & { checkId: CheckId };

/** Reads the rules that people wrote for the team's checks, behind `afterKey`, oldest first. */
export async function listTeamRuleRows(
  db: Knex,
  teamId: TeamId,
  { afterKey = 0, rowsMax }: RuleRowsInput,
): Promise<TeamRuleRow[]> {
  return AlertRuleModel.query(db)
    .join("checks as c", "c.key", "alertRules.checkKey")
    .where("alertRules.teamId", teamId)
    .whereNull("alertRules.deletedAt")
    .whereNull("alertRules.sloKey")
    .whereNull("alertRules.policyKey")
    .select("alertRules.*", "c.id as checkId")
    .where("alertRules.key", ">", afterKey)
    .orderBy("alertRules.key")
    .limit(rowsMax)
    .castTo<TeamRuleRow[]>();
}

/** Returns the rules that an SLO generated. Call it under the SLO's lock. */
export async function listRuleRowsOfSlo(trx: Knex, sloKey: number): Promise<AlertRuleModel[]> {
  return AlertRuleModel.query(trx).where({ sloKey }).whereNull("deletedAt").orderBy("key");
}

/** Returns those of these SLOs that are the team's. Nothing keeps one from being deleted later. */
export async function findSloIds(db: Knex, teamId: TeamId, ids: readonly SloId[]): Promise<SloId[]> {
  return ids.length === 0 ? [] : db("slos").where({ teamId }).whereIn("id", ids).pluck("id");
}

/** Returns the ids of the SLOs with these keys, by key. */
export async function readSloIds(db: Knex, keys: readonly number[]): Promise<Map<number, SloId>> {
  if (keys.length === 0) return new Map();
  const rows: { key: number; id: SloId }[] = await db("slos").whereIn("key", keys).select("key", "id");
  return new Map(rows.map(({ key, id }) => [key, id]));
}

/** Returns the ids of the policies with these keys, by key. */
export async function readPolicyIds(db: Knex, keys: readonly number[]): Promise<Map<number, AlertPolicyId>> {
  if (keys.length === 0) return new Map();
  const rows: { key: number; id: AlertPolicyId }[] = await db("alertPolicies")
    .whereIn("key", keys)
    .select("key", "id");
  return new Map(rows.map(({ key, id }) => [key, id]));
}

/** Returns the id of the check with this key; undefined when it was deleted. */
export async function readCheckId(db: Knex, checkKey: number): Promise<CheckId | undefined> {
  const [id] = await db("checks").where({ key: checkKey }).pluck("id");
  return id;
}

/** Returns an alert rule of the team; undefined when the team has none with this id. */
export async function findRuleRow(
  db: Knex,
  teamId: TeamId,
  id: AlertRuleId,
): Promise<AlertRuleModel | undefined> {
  return isId("alertRule", id) ? ofTeam(db, teamId).findOne({ id }) : undefined;
}

/** Does the work of {@link findRuleRow} and locks the row until the transaction ends. */
export async function lockRuleRow(
  trx: Knex,
  teamId: TeamId,
  id: AlertRuleId,
): Promise<AlertRuleModel | undefined> {
  return isId("alertRule", id) ? ofTeam(trx, teamId).findOne({ id }).forUpdate() : undefined;
}

/** Stores a new alert rule, and returns it with its defaults. */
export async function insertRuleRow(db: Knex, row: Partial<AlertRuleModel>): Promise<AlertRuleModel> {
  return AlertRuleModel.query(db).insert(row).returning("*");
}

/** Returns the number of a check's rules, those that SLOs generate included. Those of policies have a cap of their own. */
export async function countRulesOfCheck(db: Knex, checkKey: number): Promise<number> {
  return AlertRuleModel.query(db).where({ checkKey, policyKey: null }).whereNull("deletedAt").resultSize();
}

/** Updates the given columns of an alert rule, raises its revision, and marks it as changed for the rule caches. */
export async function patchRuleRow(db: Knex, key: number, patch: Partial<AlertRuleModel>): Promise<void> {
  await AlertRuleModel.query(db)
    .findById(key)
    .patch({
      ...patch,
      revision: objection.raw("revision + 1"),
      changedXid: objection.raw("pg_current_xact_id()"),
    } as objection.PartialModelObject<AlertRuleModel>);
}

/** Marks a rule as deleted. Its row stays for its instances, which show its name; its channels become free. */
export async function markRuleDeleted(trx: Knex, key: number, atMs: number): Promise<void> {
  const deletedAt = new Date(atMs).toISOString();
  await patchRuleRow(trx, key, { enabled: false, channelIds: [], deletedAt });
}
