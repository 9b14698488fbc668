/**
 * Makes the rules of a policy follow it, in short transactions: a team with very many checks neither holds the database for long nor
 * makes the replicas read all its rules at once. What is left after a crash is done by the background job.
 */
import { newId, refusePolicy } from "@svc/contract";
import type { Knex } from "knex";
import { monotonicMs } from "../../platform/clock.ts";
import { lockPoliciesOfTeam } from "./locks.ts";
import { AlertPolicyModel } from "./row.ts";
import { endRulesBehind, writeRules } from "./rule-store.ts";
import { holdChecksToApply, type LabeledCheck } from "./store.ts";

/** Checks whose rules are written in one transaction. */
const CHECKS_AT_ONCE = 500;

/** When the work happens and when it stops. */
export interface ApplyOptions {
  /** Unix ms, for the rows. */
  atMs: number;
  /** Time after which no further transaction is begun, ms. Default: none. */
  withinMs?: number;
  signal?: AbortSignal;
  /** Default 500. */
  checksAtOnce?: number;
}

/**
 * Makes all rules of the policy follow its newest revision. Harmless to repeat and to overlap.
 * @returns true when all follow; false when the time was over before
 */
export async function applyPolicy(
  knex: Knex,
  key: number,
  { atMs, withinMs = Number.POSITIVE_INFINITY, signal, checksAtOnce = CHECKS_AT_ONCE }: ApplyOptions,
): Promise<boolean> {
  const endMs = monotonicMs() + withinMs;
  while (!signal?.aborted && monotonicMs() < endMs)
    if (await knex.transaction((trx) => applyPart(trx, key, { atMs, checksAtOnce }))) return true;
  return false;
}

/** Writes the rules of some checks, or ends some. @returns true when nothing was left to do */
async function applyPart(
  trx: Knex,
  key: number,
  { atMs, checksAtOnce }: Required<Pick<ApplyOptions, "atMs" | "checksAtOnce">>,
): Promise<boolean> {
  const found = await AlertPolicyModel.query(trx).findById(key).select("teamId");
  if (!found) return true;
  await lockPoliciesOfTeam(trx, found.teamId);
  const policy = await AlertPolicyModel.query(trx).findById(key).forUpdate();
  if (!policy || policy.isApplied) return true;
  if (policy.enabled && policy.deletedAt === null) {
    const checks = await holdChecksToApply(trx, policy, checksAtOnce);
    await writeRules(trx, policy, { rules: checks.map((check) => ruleOf(policy, check)), atMs });
    if (checks.length === checksAtOnce) return false;
  }
  const endedCount = await endRulesBehind(trx, policy, { rowsMax: checksAtOnce, atMs });
  if (endedCount === checksAtOnce) return false;
  await AlertPolicyModel.query(trx).findById(key).patch({ isApplied: true });
  return true;
}

function ruleOf({ conditions }: AlertPolicyModel, { key, type, config }: LabeledCheck) {
  return {
    id: newId("alertRule"),
    checkKey: key,
    isActive: refusePolicy(conditions, { type, config }) === undefined,
  };
}
