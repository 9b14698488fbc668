/** Computes what a deploy would do, from the config, the service's resources and the state after the last deploy. Pure. */
import { planAlerts } from "./plan-alerts.ts";
import { planChannels } from "./plan-channels.ts";
import { planChecks } from "./plan-checks.ts";
import { planSlos } from "./plan-slos.ts";
import { planWindows } from "./plan-windows.ts";
import type { Plan, PlanInput } from "./planned-change.ts";

/**
 * Computes the plan of a deploy.
 * @throws CliError for what can't be planned (two monitors of one name on the service, unknown locations)
 */
export function computePlan(input: PlanInput): Plan {
  const channels = planChannels(input);
  const checks = planChecks(input);
  const indexes = { channels: channels.index, checks: checks.index };
  const alerts = planAlerts(input, indexes);
  const slos = planSlos(input, indexes);
  const windows = planWindows(input, indexes);
  return {
    project: input.desired.project,
    ...(input.state.formerProject === undefined ? {} : { renamedFrom: input.state.formerProject }),
    changes: [...channels.changes, ...checks.changes, ...alerts, ...slos.changes, ...windows.changes],
    prunable: [...channels.prunable, ...checks.prunable, ...slos.prunable, ...windows.prunable],
    isPruning: input.isPruning,
    leftAlone: [...channels.leftAlone, ...checks.leftAlone, ...slos.leftAlone, ...windows.leftAlone],
    locationNotices: checks.locationNotices,
  };
}
