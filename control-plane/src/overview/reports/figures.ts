/** Works shares out of counts. Pure. */
import {
  DAY_MS,
  MINUTE_MS,
  REPORT_REASON_WORDS,
  type Report,
  type ReportFigures,
  type ReportReason,
  type ReportSlo,
} from "@svc/contract";

/** Counted slots and results. */
export interface Counts {
  expected: number;
  received: number;
  success: number;
}

/** Counts of nothing. */
export const NO_SLOTS: Counts = { expected: 0, received: 0, success: 0 };

/** Returns a share in basis points, rounded down, so that 10000 means all; null when there is nothing to share. */
export function basisPointsOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.floor((part * 10_000) / whole);
}

/** Returns the counts with their shares. */
export function figuresOf({ expected, received, success }: Counts): ReportFigures {
  return {
    expected,
    received,
    success,
    availabilityBasisPoints: basisPointsOf(success, received),
    measuredBasisPoints: basisPointsOf(received, expected),
  };
}

/** An SLO in a month: what was counted on how many days. */
export interface CountedSlo {
  targetBasisPoints: number;
  total: number;
  good: number;
  countedDays: number;
}

type Budget = Pick<
  ReportSlo,
  "goodBasisPoints" | "isMet" | "budgetMinutes" | "spentMinutes" | "spentBasisPoints"
>;

/** Returns how much of its error budget an SLO spent. Time without results spends nothing. */
export function budgetOf({ targetBasisPoints, total, good, countedDays }: CountedSlo): Budget {
  const minutes = countedDays * (DAY_MS / MINUTE_MS);
  const allowed = 10_000 - targetBasisPoints;
  const bad = total - good;
  return {
    goodBasisPoints: basisPointsOf(good, total),
    // Whole numbers: a share that is exactly the target meets it.
    isMet: total === 0 ? null : bad * 10_000 <= total * allowed,
    budgetMinutes: (minutes * allowed) / 10_000,
    spentMinutes: total === 0 ? 0 : (minutes * bad) / total,
    spentBasisPoints: total === 0 ? null : Math.floor((bad * 100_000_000) / (total * allowed)),
  };
}

/** Returns the missing slots by reason, most first. Those of days that were counted without reasons are `not_recorded`. */
export function missingByReason(
  missing: number,
  counted: readonly { reason: string; count: number }[],
): Report["slots"]["missingByReason"] {
  const counts = new Map<ReportReason, number>();
  let left = missing;
  for (const { reason, count: recorded } of counted) {
    // A replica of an earlier release may have counted a day anew, by results that came late, without its reasons.
    const count = Math.min(recorded, left);
    if (count === 0) continue;
    // A later release may have counted reasons that this one does not know.
    const known = Object.hasOwn(REPORT_REASON_WORDS, reason) ? (reason as ReportReason) : "unknown";
    counts.set(known, (counts.get(known) ?? 0) + count);
    left -= count;
  }
  if (left > 0) counts.set("not_recorded", left);
  return [...counts].map(([reason, count]) => ({ reason, count })).sort((a, b) => b.count - a.count);
}
