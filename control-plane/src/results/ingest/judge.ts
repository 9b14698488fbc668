/** Judges whether a result may be stored, from its key and from this replica's knowledge of the fleet. Pure. */
import { MINUTE_MS } from "@svc/contract";
import { isHosted } from "../../fleet/fleet-locations.ts";
import type { FleetState } from "../../fleet/fleet-state.ts";
import { judgeSlot, type SlotJudgement } from "../../fleet/judge-slot.ts";
import type { CheckLocationSlot } from "../../platform/check-location.ts";

/** The credential behind a delivery of results, and its reach. */
export interface IngestSource {
  /** Runner key stored with the rows; 0: they came over REST. */
  runnerKey: number;
  /** Locations that the credential covers; null: every hosted one. */
  locationKeys: ReadonlySet<number> | null;
  /** The one run that a dispatch token is for; absent: any run. */
  onlyRun?: { checkKey: number; locationKey: number; slotMs: number };
}

/** The knowledge by which one row is judged; instants in Unix ms. */
export interface JudgeContext {
  state: FleetState;
  nowMs: number;
  /** Results for slots before this instant are no longer kept. */
  retainedFromMs: number;
}

/** A slot further ahead of the control plane's clock than this comes from a wrong clock. */
const FUTURE_MS_MAX = MINUTE_MS;

/** Judges whether the source may report about the slot at all, whatever its result says. */
export function judgeKey(key: CheckLocationSlot, source: IngestSource, context: JudgeContext): SlotJudgement {
  const { slotMs } = key;
  if (slotMs > context.nowMs + FUTURE_MS_MAX)
    return { kind: "rejected", reason: `slot_ms ${slotMs} lies in the future: is the runner's clock right?` };
  if (slotMs < context.retainedFromMs)
    return { kind: "rejected", reason: `slot_ms ${slotMs} is older than results are kept` };
  const forbidden = findForbidden(key, source, context.state);
  if (forbidden) return { kind: "rejected", reason: forbidden };
  return judgeSlot(context.state, key);
}

function findForbidden(
  { checkKey, locationKey, slotMs }: CheckLocationSlot,
  source: IngestSource,
  state: FleetState,
): string | undefined {
  const { onlyRun, locationKeys } = source;
  if (onlyRun) {
    const isTheRun =
      onlyRun.checkKey === checkKey && onlyRun.locationKey === locationKey && onlyRun.slotMs === slotMs;
    return isTheRun ? undefined : "the dispatch token is for another run";
  }
  const isCovered =
    locationKeys === null ? isOfHostedPool(locationKey, state) : locationKeys.has(locationKey);
  return isCovered ? undefined : `the runner key does not cover location_key ${locationKey}`;
}

function isOfHostedPool(locationKey: number, state: FleetState): boolean {
  const location = state.location(locationKey);
  return location !== undefined && isHosted(location);
}
