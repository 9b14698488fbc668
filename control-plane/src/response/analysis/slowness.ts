/** Locations where a check became slower: its newest successes compared with those before them. */
import type { LocationId, Timing } from "@svc/contract";
import { PHASE_NAMES, type PhaseKey } from "../phases.ts";
import { type AnalysisInput, type LocationSamples, median, type Sample } from "./input.ts";

/** Number of newest successes that are compared with the earlier ones. */
export const RECENT_SUCCESSES = 5;
const EARLIER_SUCCESSES_MIN = 10;
const RATIO_MIN = 2;
/** Smallest increase that anybody notices. */
const INCREASE_MS_MIN = 100;

/** A location where the check became slower. Times are medians, in ms. */
export interface Slowness {
  locationId: LocationId;
  beforeMs: number;
  nowMs: number;
  /** The phase that grew most; undefined when none is known to have grown. */
  phase: { key: PhaseKey; name: string; beforeMs: number; nowMs: number } | undefined;
  /** Slot of the first slow result, Unix ms. */
  sinceMs: number;
}

/** Returns the locations whose newest successes take at least twice as long as those before, and 100 ms longer. */
export function slowLocations({ locations }: Pick<AnalysisInput, "locations">): Slowness[] {
  return locations.flatMap((location) => slownessOf(location) ?? []);
}

function slownessOf({ locationId, samples }: LocationSamples): Slowness | undefined {
  const successes = samples.filter(({ isSuccess }) => isSuccess);
  const recent = successes.slice(0, RECENT_SUCCESSES);
  if (recent.length < RECENT_SUCCESSES) return undefined;
  const nowMs = medianOf(recent, "totalMs") ?? 0;
  const earlier = earlierSuccesses(successes, nowMs);
  if (!earlier) return undefined;
  const beforeMs = medianOf(earlier, "totalMs") ?? 0;
  // The trouble began with the first of the slow results that last until now.
  const normal = successes.findIndex(({ timing }) => timing.totalMs < beforeMs * RATIO_MIN);
  const sinceMs = successes[Math.max(1, normal) - 1]?.slotMs ?? 0;
  return { locationId, beforeMs, nowMs, sinceMs, phase: grownPhase(recent, earlier) };
}

/**
 * Returns the successes before the slowness: all but the newest, or, when it lasts for longer, those before the moment from which
 * on all are slow; undefined when the newest are not slow.
 */
function earlierSuccesses(successes: readonly Sample[], nowMs: number): readonly Sample[] | undefined {
  const isSlowBeside = (earlier: readonly Sample[]) => {
    const beforeMs = medianOf(earlier, "totalMs") ?? 0;
    return nowMs >= beforeMs * RATIO_MIN && nowMs - beforeMs >= INCREASE_MS_MIN;
  };
  const all = successes.slice(RECENT_SUCCESSES);
  if (all.length >= EARLIER_SUCCESSES_MIN && isSlowBeside(all)) return all;
  const begin = successes.findIndex(({ timing }) => timing.totalMs * RATIO_MIN <= nowMs);
  const before = successes.slice(begin);
  const isLasting = begin > RECENT_SUCCESSES && before.length >= EARLIER_SUCCESSES_MIN;
  return isLasting && isSlowBeside(before) ? before : undefined;
}

function grownPhase(recent: readonly Sample[], earlier: readonly Sample[]): Slowness["phase"] {
  const [grown] = Object.entries(PHASE_NAMES)
    .map(([key, name]) => ({
      key: key as PhaseKey,
      name,
      nowMs: medianOf(recent, key as PhaseKey) ?? 0,
      beforeMs: medianOf(earlier, key as PhaseKey) ?? 0,
    }))
    .sort((a, b) => b.nowMs - b.beforeMs - (a.nowMs - a.beforeMs));
  return grown && grown.nowMs > grown.beforeMs ? grown : undefined;
}

/** Returns the median of one timing, of the samples where it is known; undefined when it is known nowhere. */
function medianOf(samples: readonly Sample[], key: keyof Timing): number | undefined {
  const known = samples.flatMap(({ timing }) => timing[key] ?? []);
  return known.length === 0 ? undefined : median(known);
}
