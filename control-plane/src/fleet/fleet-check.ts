/** Checks as the fleet knows them: when and where they run. Their configuration stays in the database. Pure. */
import { type CheckId, phaseMs, staggerMs, type TeamId } from "@svc/contract";
import type { CheckRow } from "./fleet-store.ts";

/** The grid of slots that a schedule revision gives a check, and the locations that run it. */
interface CheckGrid {
  periodMs: number;
  phaseMs: number;
  locationKeys: readonly number[];
}

/** A check as assignment and ingest need it. */
export interface FleetCheck {
  key: number;
  id: CheckId;
  teamId: TeamId;
  type: string;
  enabled: boolean;
  /** Grows with every change of the check, and of the value of a secret that it refers to. */
  revision: number;
  /** True when the configuration refers to secrets of the team. */
  usesVault: boolean;
  /** Keys of the locations, in the order of the check's list, which decides the stagger. */
  locationKeys: number[];
  frequencySeconds: number;
  periodMs: number;
  phaseMs: number;
  /** Unix ms: since when the newest schedule revision is in force. */
  effectiveFromMs: number;
  /** The grids of all its schedule revisions, by which late results are judged. */
  grids: CheckGrid[];
}

/**
 * Returns the check of a row.
 * @param locationKeyOf key of a location by its id; locations that it does not know are left out
 */
export function fleetCheckFromRow(
  row: CheckRow,
  locationKeyOf: (id: string) => number | undefined,
): FleetCheck {
  const locationKeys = row.locationIds.map(locationKeyOf).filter((key) => key !== undefined);
  return {
    key: row.key,
    id: row.id,
    teamId: row.teamId,
    type: row.type,
    enabled: row.enabled,
    revision: row.revision,
    usesVault: row.usesVault,
    locationKeys,
    frequencySeconds: row.frequencySeconds,
    periodMs: row.frequencySeconds * 1000,
    phaseMs: phaseMs(row.id, row.frequencySeconds),
    effectiveFromMs: row.revisions.at(-1)?.effectiveFromMs ?? 0,
    grids: gridsOf(row, locationKeys),
  };
}

/** Returns how long after a slot the location runs it, in ms. */
export function staggerOf({ locationKeys, periodMs }: FleetCheck, locationKey: number): number {
  const index = locationKeys.indexOf(locationKey);
  return index < 0 ? 0 : staggerMs(index, locationKeys.length, periodMs);
}

/** Returns the grids of all revisions and of the row itself; equal ones once. */
function gridsOf(row: CheckRow, locationKeys: readonly number[]): CheckGrid[] {
  const grids = new Map<string, CheckGrid>();
  const revisions = [...row.revisions, { frequencySeconds: row.frequencySeconds, locationKeys }];
  for (const { frequencySeconds, locationKeys: keys } of revisions)
    grids.set(`${frequencySeconds}:${keys}`, {
      periodMs: frequencySeconds * 1000,
      phaseMs: phaseMs(row.id, frequencySeconds),
      locationKeys: keys,
    });
  return [...grids.values()];
}
