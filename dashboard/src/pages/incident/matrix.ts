/** Which checks an incident affects, and how each stood at each of its locations. No I/O. */
import type { Result } from "@svc/contract";
import type { Slots } from "../../api/queries/history.ts";
import type { ShownAlert } from "./triage.ts";

/** Checks that are shown at once: each costs a request. */
export const ROWS_MAX = 20;

/** A row: a check with the alerts that it has in the incident, the newest first. */
export interface AffectedCheck {
  /** Null: a third party, which no single check watches. */
  checkId: string | null;
  name: string;
  alerts: readonly ShownAlert[];
}

/** A cell: a check at one location. */
export interface Standing {
  /** Absent: nothing is known. */
  now?: Result["status"] | undefined;
  /** Worst status since the incident began; absent: it had no result. */
  worst?: Result["status"] | undefined;
  worstResultId?: string | undefined;
}

/** Returns the affected checks: those that fired first, first. */
export function affectedChecks(alerts: readonly ShownAlert[]): AffectedCheck[] {
  const rows = new Map<string, ShownAlert[]>();
  const byStart = [...alerts].sort((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
  for (const alert of byStart) {
    const key = alert.checkId ?? alert.ruleId;
    rows.set(key, [alert, ...(rows.get(key) ?? [])]);
  }
  return [...rows.values()].map((ofCheck) => {
    const [newest] = ofCheck as [ShownAlert];
    const { checkId, checkName, ruleName } = newest;
    return { checkId, name: checkName ?? ruleName ?? "Third party", alerts: ofCheck };
  });
}

/** Returns the locations of checks, in the order in which they are met. */
export function locationsOf(slots: readonly (Slots | undefined)[]): string[] {
  return [...new Set(slots.flatMap((one) => one?.locations.map(({ locationId }) => locationId) ?? []))];
}

/**
 * Returns how a check stands at a location; undefined when it does not run there.
 * @param newest newest results of the check, the newest last
 */
export function standingAt(
  slots: Slots | undefined,
  newest: readonly { locationId: string; status: Result["status"] }[],
  locationId: string,
): Standing | undefined {
  const there = slots?.locations.find((one) => one.locationId === locationId);
  if (!there) return undefined;
  const worst = there.cells.reduce<Slots["locations"][number]["cells"][number] | undefined>(
    (found, cell) =>
      cell.worst !== undefined && (found?.worst === undefined || found.worst === "success") ? cell : found,
    undefined,
  );
  return {
    now: newest.findLast((one) => one.locationId === locationId)?.status,
    worst: worst?.worst,
    worstResultId: worst?.resultId,
  };
}
