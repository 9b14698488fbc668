/** The shape of the words about one condition type: how its recorded evidence is said to people. */
import type { ConditionType } from "@svc/contract";

/** Threshold and observed value of a condition as a person reads them. */
export interface SaidCondition {
  /** A whole sentence about what was found. */
  sentence: string;
  threshold: string;
  observed: string;
}

/** Threshold and observed value as the alert's context has them: of any shape. */
export interface Evidence {
  threshold: unknown;
  observed: unknown;
}

/** The words about one condition type. */
export interface ConditionWords {
  readonly type: ConditionType;
  /** Returns the words; undefined when the evidence has another shape than this version knows. */
  say(evidence: Evidence): SaidCondition | undefined;
}

/** Returns the value as a number; undefined when it is none. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Returns the value as a text; undefined when it is none. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns the value's fields; none when it is no object. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}

/** Returns a count with its noun: `1 failure`, `3 failures`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
