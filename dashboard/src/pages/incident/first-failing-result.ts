/** Finds the result that an incident began with. No I/O. */
import type { ShownAlert } from "./triage.ts";

/** The first failing result that is known. */
export interface FirstResult {
  checkId: string;
  resultId: string;
}

/** Returns the oldest result in the evidence of the alert that fired first; undefined when no alert names one. */
export function firstFailingResult(alerts: readonly ShownAlert[]): FirstResult | undefined {
  const byStart = [...alerts].sort((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
  for (const { checkId, contextJson } of byStart) {
    // Evidence lists results the newest first.
    const resultId = resultIdsOf(contextJson.conditions).at(-1);
    if (checkId !== null && resultId !== undefined) return { checkId, resultId };
  }
  return undefined;
}

/** The context is of any shape: an older version may have written it. */
function resultIdsOf(conditions: unknown): string[] {
  if (!Array.isArray(conditions)) return [];
  return conditions.flatMap((condition: { resultIds?: unknown } | null) =>
    Array.isArray(condition?.resultIds)
      ? condition.resultIds.filter((id: unknown): id is string => typeof id === "string")
      : [],
  );
}
