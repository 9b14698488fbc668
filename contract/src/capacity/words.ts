/** The words for the capacity of a location: the command line, the dashboard and the service say the same. Pure. */
import { counted } from "../base/text.ts";
import type { CapacityFigures, CapacityStep } from "./capacity.ts";

/** Share above which there is a warning, in basis points. */
export const CAPACITY_WARNING_BASIS_POINTS = 8_000;
const BASIS_POINTS_PER_PERCENT = 100;

const REASONS: Readonly<Record<NonNullable<CapacityFigures["reason"]>, string>> = {
  no_runner: "no runner is connected",
  no_runner_for_type: "no connected runner can run all of its checks",
};

/** Returns what changes do to a location, on one line: `office: 60 -> 120 runs an hour, 3 % -> 6 % of 2 runners`. */
export function capacityLine({ name, before, after }: CapacityStep): string {
  return `${name}: ${capacityStepWords({ before, after }).join(", ")}`;
}

/** Returns the parts of the line without the name: runs, browser seconds where there are some, and the share. */
export function capacityStepWords({ before, after }: Pick<CapacityStep, "before" | "after">): string[] {
  const browser = [before, after].map(({ browserSecondsPerHour }) => browserSecondsPerHour);
  return [
    `${step(amountText(before.runsPerHour), amountText(after.runsPerHour))} runs an hour`,
    ...(browser.some((seconds) => seconds > 0)
      ? [`${step(...(browser.map(amountText) as [string, string]))} browser seconds an hour`]
      : []),
    shareStep(before, after),
  ];
}

/** Returns the share of a location in words: `24 % of 2 runners`, or why there is none. */
export function shareText(figures: CapacityFigures): string {
  return shareStep(figures, figures);
}

/**
 * Returns the warning about a location; undefined while at most 80 % are taken.
 * @param options.isPlanned true when the figures are those after changes that are not made yet
 */
export function capacityWarning(
  name: string,
  figures: CapacityFigures,
  { isPlanned = false }: { isPlanned?: boolean } = {},
): string | undefined {
  const { shareBasisPoints, runners } = figures;
  if (shareBasisPoints === null || shareBasisPoints <= CAPACITY_WARNING_BASIS_POINTS) return undefined;
  const remedy =
    runners === null
      ? "Choose another location for some checks, or run them less often."
      : "Add a runner, or run checks there less often.";
  return `${name}: ${percentText(shareBasisPoints)} of what ${runnersText(runners)} can do ${isPlanned ? "would be" : "is"} taken; above 80 % runs may begin late or be missed. ${remedy}`;
}

function shareStep(before: CapacityFigures, after: CapacityFigures): string {
  if (after.shareBasisPoints === null) return REASONS[after.reason ?? "no_runner"];
  const to = percentText(after.shareBasisPoints);
  const from = before.shareBasisPoints === null ? to : percentText(before.shareBasisPoints);
  return `${step(from, to)} of ${runnersText(after.runners)}`;
}

function step(before: string, after: string): string {
  return before === after ? after : `${before} -> ${after}`;
}

function runnersText(runners: number | null): string {
  return runners === null ? "its runners" : counted(runners, "runner");
}

/** Returns a share as whole percent, rounded up, so that what is above a bound is never said to be at it. */
function percentText(basisPoints: number): string {
  return `${Math.ceil(basisPoints / BASIS_POINTS_PER_PERCENT).toLocaleString("en-US")} %`;
}

/** Returns an amount as a whole number with its thousands apart; one between 0 and 1 as `under 1`. */
export function amountText(amount: number): string {
  return amount > 0 && amount < 1 ? "under 1" : Math.round(amount).toLocaleString("en-US");
}
