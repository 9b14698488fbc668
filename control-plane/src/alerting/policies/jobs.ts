/** The background job of alert policies, which runs on one replica at a time. */
import { SECOND_MS } from "@svc/contract";
import { type BackgroundJob, startBackgroundJob } from "../../platform/background.ts";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import type { Services } from "../../platform/services.ts";
import { applyPolicy } from "./apply-policy.ts";
import { endRules } from "./end-rules.ts";
import { readPoliciesToApply } from "./rule-store.ts";

const INTERVAL_MS = SECOND_MS;
/** Policies that are applied before ended rules are looked at again. */
const POLICIES_AT_ONCE = 20;
/** Time for one policy, ms: then the next one has its turn, so that a team with very many checks keeps nobody waiting. */
const TURN_MS = SECOND_MS;

/** Starts making rules follow their policies where a request could not finish that, and resolving what is open of rules that ended. */
export function startPolicyJobs({ knex, log, clock }: Services): BackgroundJob {
  return startBackgroundJob({
    name: "alert policies",
    intervalMs: INTERVAL_MS,
    lockKey: ADVISORY_LOCKS.alertPolicies,
    knex,
    log,
    work: async (signal) => {
      const atMs = clock.nowMs();
      for (const key of await readPoliciesToApply(knex, POLICIES_AT_ONCE))
        await applyPolicy(knex, key, { atMs, withinMs: TURN_MS, signal });
      await endRules(knex, { atMs, signal });
    },
  });
}
