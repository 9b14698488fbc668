import { type Expectation, nextExpected, pushedTraitsOf } from "@svc/contract";
import type { CheckModel } from "../row.ts";

/** When a report is expected and when it is overdue. All instants are Unix ms. */
export interface Expected {
  countedFromMs: number;
  expectedMs: number;
  overdueMs: number;
}

/** Returns the first report that is expected after an instant. Pure. */
export function expectedAfter(expectation: Expectation, countedFromMs: number): Expected {
  const expectedMs = nextExpected(expectation, countedFromMs);
  return { countedFromMs, expectedMs, overdueMs: expectedMs + expectation.graceSeconds * 1000 };
}

/**
 * Returns the expectation of a pushed check.
 * @throws Error when the type is probed: the caller looks at the type before
 */
export function expectationOf({ type, config }: Pick<CheckModel, "type" | "config">): Expectation {
  const traits = pushedTraitsOf(type);
  if (!traits) throw new Error(`a check of type ${type} does not report by itself`);
  return traits.expectationOf(config);
}
