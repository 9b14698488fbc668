/** What a rule finds, and the words that rules share. */
import type { InsightType, Severity } from "@svc/contract";
import { counted } from "@svc/contract";
import type { AnalysisFacts, FailingPlace } from "./facts.ts";

export interface Finding {
  type: InsightType;
  severity: Severity;
  /** 0 to 1. The surest finding is the insight. */
  confidence: number;
  /** A sentence that says what it is and names what it rests on. */
  summary: string;
  /** The facts, a sentence each. */
  evidence: string[];
}

/** Undefined when the facts don't speak for it. Pure. */
export type AnalysisRule = (facts: AnalysisFacts) => Finding | undefined;

/** What is watched. */
export function targetOf({ check }: Pick<AnalysisFacts, "check">): string {
  return check.host ?? check.name;
}

/** What a failing place met: a line of evidence. */
export function failureLine({ locationId, newest, streak, since }: FailingPlace): string {
  const code = newest.httpStatusCode === null ? "" : `, status code ${newest.httpStatusCode}`;
  const message = newest.message === null ? "" : `: ${newest.message}`;
  return `${locationId}: ${counted(streak, "failing result")} in a row since ${at(since.slotMs)}, the newest by ${newest.category}${code}${message}`;
}

export function at(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

export function ms(value: number): string {
  return `${Math.round(value)} ms`;
}

/** How sure failing places make one: more places, and more than one result each. */
export function sureness(failing: readonly FailingPlace[], base: number): number {
  const places = failing.length > 1 ? 0.1 : 0;
  const repeats = failing.every(({ streak }) => streak > 1) ? 0.1 : 0;
  return Math.min(0.95, base + places + repeats);
}

/** The failing places that met one of these categories are more than half. */
export function mostly(failing: readonly FailingPlace[], isOne: (place: FailingPlace) => boolean): boolean {
  return failing.length > 0 && failing.filter(isOne).length * 2 > failing.length;
}
