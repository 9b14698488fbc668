/** Compares a failing result with the last success at its location. Pure. */
import type { Result, Timing } from "@svc/contract";

/** A measured value then and now. */
interface Change<Value> {
  lastSuccess: Value;
  now: Value;
}

/** The measured differences between a failure and the success before it; fields that are equal are absent. */
export interface Comparison {
  secondsBetween: number;
  status: Change<Result["status"]>;
  httpStatusCode?: Change<number | null>;
  responseTimeMs: Change<number>;
  /** Phases that one of the two lacks, or that took at least twice as long. */
  phasesMs: Record<string, Change<number | null>>;
}

/** A phase that grew to as many times its length stands out. */
const PHASE_GROWTH = 2;
/** Shorter growth is noise. */
const PHASE_GROWTH_MS_MIN = 20;

/** Returns the differences between two results of one check location. */
export function compareResults(now: Result, lastSuccess: Result): Comparison {
  return {
    secondsBetween: (Date.parse(now.slotAt) - Date.parse(lastSuccess.slotAt)) / 1000,
    status: { lastSuccess: lastSuccess.status, now: now.status },
    ...(now.httpStatusCode !== lastSuccess.httpStatusCode && {
      httpStatusCode: { lastSuccess: lastSuccess.httpStatusCode, now: now.httpStatusCode },
    }),
    responseTimeMs: { lastSuccess: lastSuccess.responseTimeMs, now: now.responseTimeMs },
    phasesMs: comparePhases(now.timing, lastSuccess.timing),
  };
}

function comparePhases(now: Timing, then: Timing): Comparison["phasesMs"] {
  const phases = [...new Set([...Object.keys(then), ...Object.keys(now)])] as (keyof Timing)[];
  const changed = phases.flatMap((phase) => {
    const [before, after] = [then[phase] ?? null, now[phase] ?? null];
    return standsOut(before, after) ? [[phase, { lastSuccess: before, now: after }] as const] : [];
  });
  return Object.fromEntries(changed);
}

function standsOut(before: number | null, after: number | null): boolean {
  if (before === null || after === null) return before !== after;
  return after >= PHASE_GROWTH * before && after - before >= PHASE_GROWTH_MS_MIN;
}
