import { defineRunAssertion } from "./define.ts";

/** Passes when the attempt took at most `max` ms in all. */
export const responseTime = defineRunAssertion("response_time", ({ max }, { timing }) => ({
  passed: timing.totalMs <= max,
  expected: max,
  actual: timing.totalMs,
  message: `expected a response within ${max} ms, it took ${timing.totalMs} ms`,
}));
