/** Which slots of a GiveBack are looked at: those that may be the sender's, and that anybody asks for. */
import { DAY_MS } from "@svc/contract";
import type { GivenBackSlot } from "@svc/proto/svc/runner/v1/runner_pb";
import { GRACE_MS } from "../fleet/timing.ts";

/** A slot that is given back this long after it was due can't be run by anybody; it is dropped without a record. */
const GIVEN_BACK_AGE_MS_MAX = DAY_MS;

/**
 * Returns the slots at the given locations that are neither too old nor far ahead.
 * @param nowMs Unix ms, control-plane clock
 */
export function slotsAt(
  locationKeys: ReadonlySet<number>,
  slots: readonly GivenBackSlot[],
  nowMs: number,
): GivenBackSlot[] {
  return slots.filter(({ locationKey, slotMs }) => {
    const ageMs = nowMs - Number(slotMs);
    return locationKeys.has(locationKey) && ageMs < GIVEN_BACK_AGE_MS_MAX && ageMs > -GRACE_MS;
  });
}
