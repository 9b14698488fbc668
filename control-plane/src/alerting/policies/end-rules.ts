/** Resolves what is open of the rules that policies ended, so that no page stays open, and lets go of the rules' channels. */
import type { Knex } from "knex";
import { lockChecks } from "../evaluation/locks.ts";
import { resolveInstancesOfRule } from "../instances/resolve-open-instances.ts";
import { lockEndedRules, readEndedRules, releaseChannels, removeDeletedPolicies } from "./rule-store.ts";

/** Rules that are ended in one transaction, which keeps their checks from being evaluated meanwhile. */
const RULES_AT_ONCE = 50;

/** When the rules ended, and how the work stops. */
export interface EndRulesOptions {
  /** Unix ms. */
  atMs: number;
  /** Rules at most; default: all. */
  rulesMax?: number;
  signal?: AbortSignal;
}

/**
 * Resolves what is open of rules that have ended. An evaluation that had begun before a rule ended is waited for, so that nothing
 * which it opened stays. Harmless to repeat and to overlap.
 */
export async function endRules(
  knex: Knex,
  { atMs, rulesMax = Number.POSITIVE_INFINITY, signal }: EndRulesOptions,
): Promise<void> {
  for (let done = 0; done < rulesMax && !signal?.aborted; done += RULES_AT_ONCE) {
    const ended = await readEndedRules(knex, RULES_AT_ONCE);
    if (ended.length === 0) break;
    await knex.transaction(async (trx) => {
      await lockChecks(
        trx,
        ended.map(({ checkKey }) => checkKey),
      );
      const keys = await lockEndedRules(
        trx,
        ended.map(({ key }) => key),
      );
      for (const ruleKey of keys)
        await resolveInstancesOfRule(trx, {
          ruleKey,
          reason: "its alert policy does not hold for the check any more",
          atMs,
        });
      await releaseChannels(trx, keys);
    });
  }
  await removeDeletedPolicies(knex);
}
