/** Alerts and SLOs of a check that is being changed or deleted. */
import { invalidField, refuseCondition } from "@svc/contract";
import type { CheckDependents } from "../checks/check-dependents.ts";
import { keepEventsOfDeletedCheck } from "./instances/deleted-event-store.ts";
import { resolveInstancesOfCheck } from "./instances/resolve-open-instances.ts";
import { followCheck } from "./policies/follow-check.ts";
import { sharePoliciesOfTeam } from "./policies/locks.ts";
import { listRuleRows } from "./rules/store.ts";
import { sloEntriesOfDeleted } from "./slos/delete-slo.ts";

/** More rules than a check may have. */
const RULES_MAX = 100_000;

/**
 * Refuses a configuration for which a rule of the check could never fire; a rule of a policy goes then. Resolves a deleted check's open alerts, so
 * that no page stays open, and keeps their events. Names the SLOs that go with the check: without its results they
 * would say nothing.
 */
export const alertingDependents: CheckDependents = {
  prepare: ({ teamId }, trx) => sharePoliciesOfTeam(trx, teamId),
  follow: ({ services }, trx, check) => followCheck(trx, check, services.clock.nowMs()),
  assertAllow: async (trx, { key, teamId, type }, config) => {
    const rules = await listRuleRows(trx, teamId, { checkKey: key, afterKey: undefined, rowsMax: RULES_MAX });
    const written = rules.filter(({ policyKey }) => policyKey === null);
    const left = written.flatMap(({ id, name, conditions }) => {
      const reasons = conditions.flatMap((condition) => refuseCondition(condition, { type, config }) ?? []);
      return reasons.length === 0
        ? []
        : [`alert rule ${name === null ? id : `"${name}" (${id})`}: ${reasons.join("; ")}`];
    });
    if (left.length > 0)
      throw invalidField("configJson", `${left.join("; ")}. Change or delete the rule first`);
  },
  end: ({ services }, trx, checkKey) =>
    resolveInstancesOfCheck(trx, { checkKey, reason: "the check was deleted", atMs: services.clock.nowMs() }),
  entriesOfDeleted: (_ctx, trx, check) => sloEntriesOfDeleted(trx, check.key),
  keepEvents: keepEventsOfDeletedCheck,
};
