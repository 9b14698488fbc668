/** Finds a check that succeeds but takes much longer than before, and names the phase that takes the time. */
import { listed } from "@svc/contract";
import { RECENT_SUCCESSES, slowLocations } from "../slowness.ts";
import { defineAnalysisRule } from "./define-rule.ts";
import { readableMs, targetOf } from "./words.ts";

/** Applies to locations whose newest response times are far above the earlier ones. */
export const slowPhase = defineAnalysisRule("slow_phase", (input) => {
  const slow = slowLocations(input);
  const [worst] = slow.toSorted((a, b) => b.nowMs - b.beforeMs - (a.nowMs - a.beforeMs));
  if (!worst) return undefined;
  const { phase } = worst;
  const where = phase
    ? `; most of it in ${phase.name}: ${readableMs(phase.nowMs)} instead of ${readableMs(phase.beforeMs)}`
    : "";
  return {
    severity: "warning",
    confidence: Math.min(0.85, 0.65 + 0.1 * Math.min(2, slow.length - 1) + (phase ? 0.1 : 0)),
    summary: `${targetOf(input)} takes ${readableMs(worst.nowMs)} instead of ${readableMs(worst.beforeMs)} from ${listed(slow.map(({ locationId }) => locationId))}${where}.`,
    evidence: slow.map(
      ({ locationId, beforeMs, nowMs, phase: grown }) =>
        `${locationId}: median ${readableMs(nowMs)} of the newest ${RECENT_SUCCESSES} successes, ${readableMs(beforeMs)} before${grown ? `; ${grown.name} ${readableMs(grown.nowMs)}, ${readableMs(grown.beforeMs)} before` : ""}`,
    ),
  };
});
