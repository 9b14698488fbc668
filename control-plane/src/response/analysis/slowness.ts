/** Locations where a check became slower: its newest successes compared with those before them. */
import type { LocationId, Timing } from "@svc/contract";
import { type AnalysisInput, type LocationSamples, median, type Sample } from "./input.ts";

/** Number of newest successes that are compared with the earlier ones. */
export const RECENT_SUCCESSES = 5;
const EARLIER_SUCCESSES_MIN = 10;
const RATIO_MIN = 2;
/** Smallest increase that anybody notices. */
const INCREASE_MS_MIN = 100;

const PHASES = {
  dnsLookupMs: "DNS lookup",
  tcpConnectMs: "TCP connect",
  tlsHandshakeMs: "TLS handshake",
  ttfbMs: "time to first byte",
  contentTransferMs: "content transfer",
} as const satisfies Partial<Record<keyof Timing, string>>;

/** A location where the check became slower. Times are medians, in ms. */
export interface Slowness {
  locationId: LocationId;
  beforeMs: number;
  nowMs: number;
  /** The phase that grew most; undefined when none is known to have grown. */
  phase: { name: string; beforeMs: number; nowMs: number } | undefined;
  /** Slot of the first slow result, Unix ms. */
  sinceMs: number;
}

/** Returns the locations whose newest successes take at least twice as long as those before, and 100 ms longer. */
export function slowLocations({ locations }: Pick<AnalysisInput, "locations">): Slowness[] {
  return locations.flatMap((location) => slownessOf(location) ?? []);
}

function slownessOf({ locationId, samples }: LocationSamples): Slowness | undefined {
  const successes = samples.filter(({ isSuccess }) => isSuccess);
  const [recent, earlier] = [successes.slice(0, RECENT_SUCCESSES), successes.slice(RECENT_SUCCESSES)];
  if (recent.length < RECENT_SUCCESSES || earlier.length < EARLIER_SUCCESSES_MIN) return undefined;
  const [nowMs, beforeMs] = [medianOf(recent, "totalMs") ?? 0, medianOf(earlier, "totalMs") ?? 0];
  if (nowMs < beforeMs * RATIO_MIN || nowMs - beforeMs < INCREASE_MS_MIN) return undefined;
  // The trouble began with the first of the slow results that last until now.
  const normal = successes.findIndex(({ timing }) => timing.totalMs < beforeMs * RATIO_MIN);
  const sinceMs = successes[Math.max(1, normal) - 1]?.slotMs ?? 0;
  return {
    locationId,
    beforeMs,
    nowMs,
    sinceMs,
    phase: grownPhase(recent, earlier),
  };
}

function grownPhase(recent: readonly Sample[], earlier: readonly Sample[]): Slowness["phase"] {
  const [grown] = Object.entries(PHASES)
    .map(([key, name]) => ({
      name,
      nowMs: medianOf(recent, key as keyof typeof PHASES) ?? 0,
      beforeMs: medianOf(earlier, key as keyof typeof PHASES) ?? 0,
    }))
    .sort((a, b) => b.nowMs - b.beforeMs - (a.nowMs - a.beforeMs));
  return grown && grown.nowMs > grown.beforeMs ? grown : undefined;
}

/** Returns the median of one timing, of the samples where it is known; undefined when it is known nowhere. */
function medianOf(samples: readonly Sample[], key: keyof Timing): number | undefined {
  const known = samples.flatMap(({ timing }) => timing[key] ?? []);
  return known.length === 0 ? undefined : median(known);
}
