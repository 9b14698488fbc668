/** Checks as the fleet knows them: when and where they run. Their configuration stays in the database. Pure. */
import { staggerMs, type TeamId } from "@svc/contract";
import type { CheckRow } from "./fleet-store.ts";

/** A frequency that a check has or had, and the locations that run it by that. */
interface ScheduledGrid {
  frequencySeconds: number;
  locationKeys: readonly number[];
}

/** The properties of a check that many others share. */
export interface CheckSchedule {
  type: string;
  enabled: boolean;
  /** True when the configuration refers to secrets of the team. */
  usesVault: boolean;
  /** Keys of the locations, in the order of the check's list, which decides the stagger. */
  locationKeys: readonly number[];
  frequencySeconds: number;
  /** Of all schedule revisions, by which late results are judged; different ones. */
  grids: readonly ScheduledGrid[];
}

/** The grid of slots that a schedule revision gives a check, and the locations that run it. */
interface CheckGrid {
  periodMs: number;
  phaseMs: number;
  locationKeys: readonly number[];
}

/** A check as assignment and ingest need it. */
export interface FleetCheck extends Omit<CheckSchedule, "grids"> {
  key: number;
  teamId: TeamId;
  /** Grows with every change of the check, and of the value of a secret that it refers to. */
  revision: number;
  periodMs: number;
  phaseMs: number;
  /** Unix ms: since when the newest schedule revision is in force. */
  effectiveFromMs: number;
  /** The grids of all its schedule revisions, by which late results are judged. */
  grids: CheckGrid[];
}

/** The properties of a check that it shares with no other. */
export interface OwnProperties
  extends Pick<FleetCheck, "key" | "teamId" | "revision" | "effectiveFromMs" | "phaseMs"> {
  /** Returns the phase that the check has at another frequency than its own. */
  phaseMsOf: (frequencySeconds: number) => number;
}

/**
 * Returns the schedule of a row.
 * @param locationKeyOf key of a location by its id; locations that it does not know are left out
 */
export function scheduleFromRow(
  row: CheckRow,
  locationKeyOf: (id: string) => number | undefined,
): CheckSchedule {
  const { type, enabled, usesVault, frequencySeconds } = row;
  const locationKeys = row.locationIds.map(locationKeyOf).filter((key) => key !== undefined);
  return { type, enabled, usesVault, frequencySeconds, locationKeys, grids: gridsOf(row, locationKeys) };
}

/** Returns a text that is equal for equal schedules. */
export function scheduleId({
  type,
  enabled,
  usesVault,
  frequencySeconds,
  locationKeys,
  grids,
}: CheckSchedule): string {
  const gridIds = grids.map((grid) => `${grid.frequencySeconds}:${grid.locationKeys}`).join("/");
  return `${enabled} ${usesVault} ${frequencySeconds} ${locationKeys} ${gridIds} ${type}`;
}

/** Returns a check by its schedule and the rest of its properties. */
export function fleetCheckOf(schedule: CheckSchedule, own: OwnProperties): FleetCheck {
  const { type, enabled, usesVault, locationKeys, frequencySeconds, grids } = schedule;
  const { key, teamId, revision, effectiveFromMs, phaseMs } = own;
  return {
    key,
    teamId,
    type,
    enabled,
    revision,
    usesVault,
    locationKeys,
    frequencySeconds,
    periodMs: frequencySeconds * 1000,
    phaseMs,
    effectiveFromMs,
    grids: grids.map((grid) => ({
      periodMs: grid.frequencySeconds * 1000,
      phaseMs: grid.frequencySeconds === frequencySeconds ? phaseMs : own.phaseMsOf(grid.frequencySeconds),
      locationKeys: grid.locationKeys,
    })),
  };
}

/** Returns how long after a slot the location runs it, in ms. */
export function staggerOf(
  { locationKeys, periodMs }: Pick<FleetCheck, "locationKeys" | "periodMs">,
  locationKey: number,
): number {
  const index = locationKeys.indexOf(locationKey);
  return index < 0 ? 0 : staggerMs(index, locationKeys.length, periodMs);
}

/** Returns the grids of all revisions and of the row itself; equal ones once. */
function gridsOf(row: CheckRow, locationKeys: readonly number[]): ScheduledGrid[] {
  const newest = { frequencySeconds: row.frequencySeconds, locationKeys };
  const [only] = row.revisions;
  if (row.revisions.length === 1 && only && isSameGrid(only, newest)) return [only];
  const grids = new Map<string, ScheduledGrid>();
  const revisions = [...row.revisions, newest];
  for (const { frequencySeconds, locationKeys: keys } of revisions)
    grids.set(`${frequencySeconds}:${keys}`, { frequencySeconds, locationKeys: keys });
  return [...grids.values()];
}

function isSameGrid(a: ScheduledGrid, b: ScheduledGrid): boolean {
  return (
    a.frequencySeconds === b.frequencySeconds &&
    a.locationKeys.length === b.locationKeys.length &&
    a.locationKeys.every((key, i) => key === b.locationKeys[i])
  );
}
