/** It works, but takes much longer than before, and one phase is where the time goes. */
import type { Timing } from "@svc/contract";
import { listed } from "@svc/contract";
import { type AnalysisFacts, median, type PlaceEvidence } from "../facts.ts";
import { type AnalysisRule, ms, targetOf } from "../finding.ts";

const RECENT = 5;
const EARLIER_MIN = 10;
const RATIO_MIN = 2;
/** Less than this nobody notices. */
const INCREASE_MIN_MS = 100;

const PHASES = {
  dnsLookupMs: "DNS lookup",
  tcpConnectMs: "TCP connect",
  tlsHandshakeMs: "TLS handshake",
  ttfbMs: "time to first byte",
  contentTransferMs: "content transfer",
} as const satisfies Partial<Record<keyof Timing, string>>;

/** A location where it got slower. */
export interface Slowness {
  locationId: string;
  beforeMs: number;
  nowMs: number;
  /** The phase that grew most; undefined when none is known. */
  phase: { name: string; beforeMs: number; nowMs: number } | undefined;
  /** When the first of the slow results was. Unix ms. */
  sinceMs: number;
}

export const slowPhase: AnalysisRule = (facts) => {
  const slow = slowPlaces(facts);
  const [worst] = slow.toSorted((a, b) => b.nowMs - b.beforeMs - (a.nowMs - a.beforeMs));
  if (!worst) return undefined;
  const { phase } = worst;
  const where = phase
    ? `; most of it in ${phase.name}: ${ms(phase.nowMs)} instead of ${ms(phase.beforeMs)}`
    : "";
  return {
    type: "slow_phase",
    severity: "warning",
    confidence: Math.min(0.85, 0.65 + 0.1 * Math.min(2, slow.length - 1) + (phase ? 0.1 : 0)),
    summary: `${targetOf(facts)} takes ${ms(worst.nowMs)} instead of ${ms(worst.beforeMs)} from ${listed(slow.map(({ locationId }) => locationId))}${where}.`,
    evidence: slow.map(
      ({ locationId, beforeMs, nowMs, phase: grown }) =>
        `${locationId}: median ${ms(nowMs)} of the newest ${RECENT} successes, ${ms(beforeMs)} before${grown ? `; ${grown.name} ${ms(grown.nowMs)}, ${ms(grown.beforeMs)} before` : ""}`,
    ),
  };
};

/** Where the newest successes take at least twice as long as those before. */
export function slowPlaces({ places }: Pick<AnalysisFacts, "places">): Slowness[] {
  return places.flatMap((place) => slownessOf(place) ?? []);
}

function slownessOf({ locationId, samples }: PlaceEvidence): Slowness | undefined {
  const successes = samples.filter(({ isSuccess }) => isSuccess);
  const [recent, earlier] = [successes.slice(0, RECENT), successes.slice(RECENT)];
  if (recent.length < RECENT || earlier.length < EARLIER_MIN) return undefined;
  const medianOf = (some: typeof samples, key: keyof Timing) => {
    const known = some.flatMap(({ timing }) => timing[key] ?? []);
    return known.length === 0 ? undefined : median(known);
  };
  const [nowMs, beforeMs] = [medianOf(recent, "totalMs") ?? 0, medianOf(earlier, "totalMs") ?? 0];
  if (nowMs < beforeMs * RATIO_MIN || nowMs - beforeMs < INCREASE_MIN_MS) return undefined;
  const grown = Object.entries(PHASES)
    .map(([key, name]) => ({
      name,
      nowMs: medianOf(recent, key as keyof typeof PHASES) ?? 0,
      beforeMs: medianOf(earlier, key as keyof typeof PHASES) ?? 0,
    }))
    .sort((a, b) => b.nowMs - b.beforeMs - (a.nowMs - a.beforeMs))[0];
  // The trouble began where the run of slow results up to now begins.
  const normal = successes.findIndex(({ timing }) => timing.totalMs < beforeMs * RATIO_MIN);
  const sinceMs = successes[Math.max(1, normal) - 1]?.slotMs ?? 0;
  return {
    ...{ locationId, beforeMs, nowMs, sinceMs },
    phase: grown && grown.nowMs > grown.beforeMs ? grown : undefined,
  };
}
