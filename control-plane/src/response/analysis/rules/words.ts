/** Words and measures that the rules share. */
import { counted } from "@svc/contract";
import { quoteOf } from "../../quote.ts";
import type { AnalysisInput, FailingLocation } from "../input.ts";

/** Returns the name of the target: its host, or the check's name when the configuration names none. */
export function targetOf({ check }: Pick<AnalysisInput, "check">): string {
  return check.host ?? check.name;
}

/** Returns a line of evidence about a failing location: how many failures in a row, since when and how. */
export function failureLine({ locationId, newest, streak, since }: FailingLocation): string {
  const code = newest.httpStatusCode === null ? "" : `, status code ${newest.httpStatusCode}`;
  const message = newest.message === null ? "" : `: ${newest.message}`;
  return `${locationId}: ${counted(streak, "failing result")} in a row since ${readableTime(since.slotMs)}, the newest by ${newest.category}${code}${message}`;
}

/** Returns what the probe said about the first of these failures, after a colon; empty when it said nothing. */
export function messageOf(failing: readonly FailingLocation[]): string {
  return quoteOf(failing[0]?.newest.message);
}

/** Returns an instant as `2026-06-01T12:00:00Z`. */
export function readableTime(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`;
}

/** Returns a length of time as `850 ms`. */
export function readableMs(durationMs: number): string {
  return `${Math.round(durationMs)} ms`;
}

/** Returns the confidence that failing locations justify: higher with more locations, and when each failed repeatedly. */
export function confidenceOf(failing: readonly FailingLocation[], base: number): number {
  const forLocations = failing.length > 1 ? 0.1 : 0;
  const forRepetition = failing.every(({ streak }) => streak > 1) ? 0.1 : 0;
  return Math.min(0.95, base + forLocations + forRepetition);
}

/** True when more than half of the failing locations match. */
export function mostMatch(
  failing: readonly FailingLocation[],
  matches: (location: FailingLocation) => boolean,
): boolean {
  return failing.length > 0 && failing.filter(matches).length * 2 > failing.length;
}
