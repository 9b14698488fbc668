/** Alerts and SLOs of a check that is being changed or deleted. */
import { type CheckOfRule, invalidField, refuseCondition } from "@svc/contract";
import type { CheckDependents } from "../checks/check-dependents.ts";
import { keepEventsOfDeletedCheck } from "./instances/deleted-event-store.ts";
import { resolveInstancesOfCheck } from "./instances/resolve-open-instances.ts";
import { followCheck } from "./policies/follow-check.ts";
import { sharePoliciesOfTeam } from "./policies/locks.ts";
import type { AlertRuleModel } from "./rules/row.ts";
import { listRuleRows } from "./rules/store.ts";
import { sloEntriesOfDeleted } from "./slos/delete-slo.ts";

/** More rules than a check may have. */
const RULES_MAX = 100_000;

/**
 * Refuses a configuration, and a number of locations, for which a rule of the check could never fire; a rule of a policy goes then. Resolves a deleted check's open alerts, so
 * that no page stays open, and keeps their events. Names the SLOs that go with the check: without its results they
 * would say nothing.
 */
export const alertingDependents: CheckDependents = {
  prepare: ({ teamId }, trx) => sharePoliciesOfTeam(trx, teamId),
  follow: ({ services }, trx, check) => followCheck(trx, check, services.clock.nowMs()),
  assertAllow: async (trx, check, next) => {
    const { key, teamId, type, locationIds } = check;
    const rules = await listRuleRows(trx, teamId, { checkKey: key, afterKey: undefined, rowsMax: RULES_MAX });
    const written = rules.filter(({ policyKey }) => policyKey === null);
    const before = { type, config: check.config, locationCount: locationIds.length };
    const withConfig = { ...before, ...(next.config && { config: next.config }) };
    const changes = [
      { field: "configJson", from: before, to: withConfig },
      {
        field: "locations",
        from: withConfig,
        to: { ...withConfig, locationCount: next.locationIds?.length ?? locationIds.length },
      },
    ];
    for (const { field, from, to } of changes) {
      const left = written.flatMap((rule) => leftBehind(rule, from, to));
      if (left.length > 0) throw invalidField(field, `${left.join("; ")}. Change or delete the rule first`);
    }
  },
  end: ({ services }, trx, checkKey) =>
    resolveInstancesOfCheck(trx, { checkKey, reason: "the check was deleted", atMs: services.clock.nowMs() }),
  entriesOfDeleted: (_ctx, trx, check) => sloEntriesOfDeleted(trx, check.key),
  keepEvents: keepEventsOfDeletedCheck,
};

/** Describes a rule that could hold for the check as it was and can't as it will be: one that never could stays as it is. */
function leftBehind(
  { id, name, conditions }: Pick<AlertRuleModel, "id" | "name" | "conditions">,
  from: CheckOfRule,
  to: CheckOfRule,
): string[] {
  const reasons = conditions.flatMap((condition) =>
    refuseCondition(condition, from) === undefined ? (refuseCondition(condition, to) ?? []) : [],
  );
  if (reasons.length === 0) return [];
  return [`alert rule ${name === null ? id : `"${name}" (${id})`}: ${reasons.join("; ")}`];
}
