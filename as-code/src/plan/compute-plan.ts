/** Computes what a deploy would do, from the config, the service's resources and the state after the last deploy. Pure. */
import { planAlerts } from "./plan-alerts.ts";
import { planChannels } from "./plan-channels.ts";
import { planChecks } from "./plan-checks.ts";
import { planPatterns } from "./plan-patterns.ts";
import { planPolicies } from "./plan-policies.ts";
import { planIncidentPolicy, planRotas } from "./plan-rotas.ts";
import { planSlos } from "./plan-slos.ts";
import { planStatusPages } from "./plan-status-pages.ts";
import { planWindows } from "./plan-windows.ts";
import type { Plan, PlanInput } from "./planned-change.ts";

/**
 * Computes the plan of a deploy.
 * @throws PlanError for what can't be planned (two monitors of one name on the service, unknown locations,
 *   a third-party pattern of another host that is in use elsewhere)
 */
export function computePlan(input: PlanInput): Plan {
  const channels = planChannels(input);
  const checks = planChecks(input);
  const patterns = planPatterns(input);
  const indexes = { channels: channels.index, checks: checks.index, patterns: patterns.index };
  const alerts = planAlerts(input, indexes);
  const slos = planSlos(input, indexes);
  const policies = planPolicies(input, indexes);
  const rotas = planRotas(input, channels.index);
  const incidentPolicy = planIncidentPolicy(input, channels.index);
  const windows = planWindows(input, indexes);
  const statusPages = planStatusPages(input, checks.index);
  return {
    project: input.desired.project,
    ...(input.state.formerProject === undefined ? {} : { renamedFrom: input.state.formerProject }),
    changes: [
      ...channels.changes,
      ...checks.changes,
      ...alerts,
      ...patterns.changes,
      ...slos.changes,
      ...policies.changes,
      ...rotas.changes,
      ...incidentPolicy.changes,
      ...windows.changes,
      ...statusPages.changes,
    ],
    prunable: [
      ...channels.prunable,
      ...checks.prunable,
      ...patterns.prunable,
      ...slos.prunable,
      ...policies.prunable,
      ...rotas.prunable,
      ...incidentPolicy.prunable,
      ...windows.prunable,
      ...statusPages.prunable,
    ],
    isPruning: input.isPruning,
    leftAlone: [
      ...channels.leftAlone,
      ...checks.leftAlone,
      ...patterns.leftAlone,
      ...slos.leftAlone,
      ...policies.leftAlone,
      ...rotas.leftAlone,
      ...incidentPolicy.leftAlone,
      ...windows.leftAlone,
      ...statusPages.leftAlone,
    ],
    locationNotices: checks.locationNotices,
  };
}
