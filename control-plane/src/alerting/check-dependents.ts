/** Alerts and SLOs of a check that is being deleted. */
import type { CheckDependents } from "../checks/delete-check.ts";
import { resolveInstancesOfCheck } from "./instances/resolve-open-instances.ts";
import { sloEntriesOfDeleted } from "./slos/delete-slo.ts";

/**
 * Resolves a deleted check's open alerts, so that no page stays open, and names the SLOs that go with the check: without its
 * results they would say nothing.
 */
export const alertingDependents: CheckDependents = {
  end: ({ services }, trx, checkKey) =>
    resolveInstancesOfCheck(trx, { checkKey, atMs: services.clock.nowMs() }),
  entriesOfDeleted: (_ctx, trx, check) => sloEntriesOfDeleted(trx, check.key),
};
