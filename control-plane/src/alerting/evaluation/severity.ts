import type { Severity } from "@svc/contract";

const RANK: Record<Severity, number> = { critical: 2, warning: 1, info: 0 };

/** True when `a` is more severe than `b`. */
export function isWorse(a: Severity, b: Severity): boolean {
  return RANK[a] > RANK[b];
}

/** Returns the most severe of these; `info` when there are none. */
export function worstOf(severities: readonly Severity[]): Severity {
  const [first = "info", ...others] = severities;
  return others.reduce((worst, severity) => (isWorse(severity, worst) ? severity : worst), first);
}
