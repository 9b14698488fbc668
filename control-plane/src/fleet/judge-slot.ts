/** Whether a slot of a check is a location's business: what results and given back slots are both judged by. */
import { isSlot } from "@svc/contract";
import type { FleetState } from "./fleet-state.ts";

/** The verdict. `unsure`: what is known may be out of date; to be asked again after a look at the database. */
export type SlotVerdict =
  | { kind: "accepted" }
  | { kind: "rejected"; reason: string }
  | { kind: "unsure"; about: "check" | "location" | "slot"; reason: string };

const ACCEPTED: SlotVerdict = { kind: "accepted" };

/**
 * Judges whether the check has, or had, the location in its schedule with a slot at that instant, and whether the
 * location is hosted or of the check's own team. A check that is another team's reads like one that does not exist.
 * Unsure about `slot`: it may be a manual run.
 */
export function judgeSlot(
  checkKey: number,
  locationKey: number,
  slotMs: number,
  state: FleetState,
): SlotVerdict {
  const check = state.check(checkKey);
  const noCheck = `check_key ${checkKey}: no such check, or it was deleted`;
  if (!check) return { kind: "unsure", about: "check", reason: noCheck };
  const location = state.location(locationKey);
  if (location?.teamId && location.teamId !== check.teamId) return { kind: "rejected", reason: noCheck };
  let isAtLocation = false;
  for (const schedule of check.schedules) {
    if (!schedule.locationKeys.includes(locationKey)) continue;
    isAtLocation = true;
    if (isSlot(slotMs, schedule.periodMs, schedule.phaseMs)) return ACCEPTED;
  }
  return isAtLocation
    ? {
        kind: "unsure",
        about: "slot",
        reason: `slot_ms ${slotMs} is neither a slot of the check nor a manual run`,
      }
    : { kind: "unsure", about: "location", reason: `location_key ${locationKey} is not one of the check's` };
}
