/** Limits of analyses. They are counted in the rows of the analyses themselves, so that all replicas count alike. Pure. */
import {
  ANALYSES_PER_CHECK,
  ANALYSES_PER_MONTH,
  ANALYSIS_COOLDOWN_SECONDS,
  DomainError,
} from "@svc/contract";

/** Analyses so far. */
export interface AnalysisUse {
  /** Analyses of the check, ever. */
  ofCheck: number;
  /** When the check was last analysed, Unix ms; null when it never was. */
  lastOfCheckMs: number | null;
  /** Analyses of the team in this month. */
  ofTeamThisMonth: number;
  planQuotaPerMonth: number;
}

/** Returns the first instant of the calendar month (UTC), and of the next one. Unix ms. */
export function monthOf(nowMs: number): { fromMs: number; untilMs: number } {
  const now = new Date(nowMs);
  const first = (plus: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + plus);
  return { fromMs: first(0), untilMs: first(1) };
}

/**
 * Passes when the limits allow one more analysis.
 * @throws DomainError `rate_limited`, with the time after which one is allowed, if ever
 */
export function assertMayAnalyze(use: AnalysisUse, nowMs: number): void {
  if (use.ofCheck >= ANALYSES_PER_CHECK)
    throw new DomainError(
      "rate_limited",
      `This check was analyzed ${use.ofCheck} times; ${ANALYSES_PER_CHECK} are all that a check has`,
    );
  const perMonth = Math.min(ANALYSES_PER_MONTH, use.planQuotaPerMonth);
  if (use.ofTeamThisMonth >= perMonth)
    throw limited(`The team has used its ${perMonth} analyses of this month`, monthOf(nowMs).untilMs - nowMs);
  const freeAtMs = (use.lastOfCheckMs ?? Number.NEGATIVE_INFINITY) + ANALYSIS_COOLDOWN_SECONDS * 1000;
  if (freeAtMs > nowMs)
    throw limited(
      `This check was analyzed less than ${ANALYSIS_COOLDOWN_SECONDS / 60} minutes ago`,
      freeAtMs - nowMs,
    );
}

function limited(reason: string, waitMs: number): DomainError {
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  return new DomainError("rate_limited", reason, { retryAfterSeconds });
}
