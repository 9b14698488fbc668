/** Tables of the model with one check of 10 s at one location, for tests of the models themselves. */
import type { CheckId, LocationId, TeamId } from "@svc/contract";
import { EPOCH_MS } from "./scheduler.ts";
import { type CheckRecord, Tables } from "./tables.ts";

/** Returns the tables, and what they hold. */
export function aTables(): { tables: Tables; check: CheckRecord; locationKey: number } {
  const tables = new Tables();
  const teamId = "team_1" as TeamId;
  const locationKey = 1;
  tables.locations.set(locationKey, { key: locationKey, id: "loc_1" as LocationId, name: "here", teamId });
  const schedule = { frequencySeconds: 10, locationKeys: [locationKey], enabled: true };
  const check: CheckRecord = {
    key: 1,
    id: "chk_1" as CheckId,
    teamId,
    name: "check",
    ...schedule,
    paused: false,
    revisions: [{ revision: 1, ...schedule, effectiveFromMs: EPOCH_MS, effectiveUntilMs: null }],
    changedXid: 1,
  };
  tables.checks.set(check.key, check);
  return { tables, check, locationKey };
}
