/**
 * Judges whether a slot of a check is one that a location was to run. Results and given back slots are judged by it.
 * Pure.
 */
import { isSlot, pushedTraitsOf } from "@svc/contract";
import type { CheckLocationSlot } from "../platform/check-location.ts";
import type { FleetState } from "./fleet-state.ts";

/**
 * Judgement of a slot. `unsure`: the memory may be out of date about this part of the slot; judge again after a look at
 * the database.
 */
export type SlotJudgement =
  | { kind: "accepted" }
  | { kind: "rejected"; reason: string }
  | { kind: "unsure"; about: "check" | "location" | "slot"; reason: string };

const ACCEPTED: SlotJudgement = { kind: "accepted" };

/**
 * Judges whether the check has, or had, the location in its schedule with a slot at that instant, and whether the
 * location is hosted or of the check's own team. Another team's check gives the reason of one that does not exist.
 * Unsure about `slot`: it may be a dispatch.
 */
export function judgeSlot(state: FleetState, slot: CheckLocationSlot): SlotJudgement {
  const { checkKey, locationKey, slotMs } = slot;
  const check = state.check(checkKey);
  if (!check) return { kind: "unsure", about: "check", reason: noSuchCheck(checkKey) };
  const location = state.location(locationKey);
  if (location?.teamId && location.teamId !== check.teamId)
    return { kind: "rejected", reason: noSuchCheck(checkKey) };
  const isPushed = pushedTraitsOf(check.type) !== undefined;
  let isAtLocation = false;
  for (const grid of check.grids) {
    if (!grid.locationKeys.includes(locationKey)) continue;
    isAtLocation = true;
    // Its reports come when they come: each instant is a slot.
    if (isPushed) return ACCEPTED;
    if (isSlot(slotMs, grid.periodMs, grid.phaseMs)) return ACCEPTED;
  }
  return isAtLocation
    ? {
        kind: "unsure",
        about: "slot",
        reason: `slot_ms ${slotMs} is neither a slot of the check nor a manual run`,
      }
    : { kind: "unsure", about: "location", reason: `location_key ${locationKey} is not one of the check's` };
}

function noSuchCheck(checkKey: number): string {
  return `check_key ${checkKey}: no such check, or it was deleted`;
}
