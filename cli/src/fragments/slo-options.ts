/** Flags and fields of the commands that write SLOs. */
import { type ApiClient, type NewSlo, targetBasisPoints, windowDays } from "@svc/contract";
import { pickNamed } from "../lookup/pick-named.ts";
import { getMonitor } from "../resources/monitors/get-monitor.ts";
import { generalError } from "../runtime/cli-error.ts";
import { CHANNELS_OPTION, channelIdsOf } from "./channel-ids.ts";
import { FILE_OPTION, type Fragment } from "./read-fragment.ts";

/** Values of these flags, as typed. */
export interface SloOptions {
  name?: string;
  monitor?: string;
  pattern?: string;
  target?: string;
  window?: string;
  channel?: string[];
  burnRateAlerts?: boolean;
  file?: string;
}

/** Fields of an SLO in svc.config.yaml. */
export const SLO_FIELDS = [
  "name",
  "monitor",
  "pattern",
  "target",
  "window",
  "burnRateAlerts",
  "channels",
  "enabled",
  "sliType",
  "perfThresholdMs",
] as const;

/** Flags for the fields of an SLO, except its name. */
export const SLO_OPTIONS = [
  { flags: "--monitor <name-or-id>", description: "the monitor that it is of" },
  { flags: "--target <percentage>", description: "e.g. 99.9%" },
  { flags: "--window <days>", description: "7d, 14d or 30d", choices: ["7d", "14d", "30d"] },
  CHANNELS_OPTION,
  { flags: "--burn-rate-alerts", description: "alert when the budget is spent too fast" },
  { flags: "--no-burn-rate-alerts", description: "don't" },
  FILE_OPTION,
] as const;

/**
 * Returns the body of the request: the fragment's fields, replaced by those of flags. Absent ones are left out.
 * @throws CliError for a target or window that is none, unknown monitors, patterns and channels, and both a monitor and a pattern
 */
export async function sloBody(
  api: ApiClient,
  fragment: Fragment,
  { name, monitor, pattern, target, window, channel, burnRateAlerts }: SloOptions,
): Promise<Partial<NewSlo>> {
  const {
    monitor: monitorOfFile,
    pattern: patternOfFile,
    target: targetOfFile,
    window: windowOfFile,
    channels,
    burnRateAlerts: alertsOfFile,
    ...fields
  } = fragment;
  // A subject that a flag names is in place of the file's, whichever of the two kinds that is.
  const hasFlag = monitor !== undefined || pattern !== undefined;
  const typedMonitor = hasFlag ? monitor : monitorOfFile;
  const typedPattern = hasFlag ? pattern : patternOfFile;
  if (typedMonitor !== undefined && typedPattern !== undefined)
    throw generalError("an SLO is of a monitor or of a pattern, not of both");
  const channelIds = await channelIdsOf(api, channel ?? channels);
  const typedTarget = target ?? targetOfFile;
  const typedWindow = window ?? windowOfFile;
  const generates = burnRateAlerts ?? alertsOfFile;
  return {
    ...fields,
    ...(name === undefined ? {} : { name }),
    ...(typedMonitor === undefined ? {} : { checkId: (await getMonitor(api, String(typedMonitor))).id }),
    ...(typedPattern === undefined ? {} : await thirdPartyOf(api, String(typedPattern))),
    ...(typedTarget === undefined ? {} : { targetBasisPoints: basisPointsOf(typedTarget) }),
    ...(typedWindow === undefined ? {} : { windowDays: windowDays(String(typedWindow)) }),
    ...(generates === undefined ? {} : { burnRateAlertsEnabled: generates as boolean }),
    ...(channelIds === undefined ? {} : { channelIds }),
  };
}

async function thirdPartyOf(api: ApiClient, typed: string): Promise<Pick<NewSlo, "sloType" | "patternId">> {
  const { id } = pickNamed("third-party pattern", typed, await api.listThirdPartyPatterns());
  return { sloType: "third_party", patternId: id };
}

function basisPointsOf(target: unknown): number {
  const text = String(target);
  const points = targetBasisPoints(/%\s*$/.test(text) ? text : `${text}%`);
  if (points === undefined)
    throw generalError(
      `--target is "${text}"; expected a percentage from 0.01% to 99.99% with at most two decimals`,
    );
  return points;
}
