/** What a deploy would do. Pure: from the config, what the service has and what the last deploy left. */

import { planAlerts } from "./plan-alerts.ts";
import { planChannels } from "./plan-channels.ts";
import { planChecks } from "./plan-checks.ts";
import { planSlos } from "./plan-slos.ts";
import { planWindows } from "./plan-windows.ts";
import type { Plan, PlanContext, PlanInput } from "./planned-change.ts";

/** @throws CliError for what can't be planned (two monitors of one name on the service, unknown locations) */
export function computePlan(input: PlanInput): Plan {
  const { desired, remote } = input;
  const context: PlanContext = {
    ...input,
    channelName: (id) => remote.channels.find((one) => one.id === id)?.name ?? id,
    checkName: (id) => id,
    checkIdOf: () => undefined,
    deletedChecks: new Set(),
    replacedChannels: new Map(),
    prunable: [],
  };
  const changes = [
    ...planChannels(context),
    ...planChecks(context),
    ...planAlerts(context),
    ...planSlos(context),
    ...planWindows(context),
  ];
  return { project: desired.project, changes, prunable: context.prunable };
}
