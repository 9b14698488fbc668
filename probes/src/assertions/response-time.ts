import { defineAssertion } from "./define.ts";

export const responseTime = defineAssertion("response_time", ({ max }, { timing }) => ({
  passed: timing.totalMs <= max,
  expected: max,
  actual: timing.totalMs,
  message: `expected a response within ${max} ms, it took ${timing.totalMs} ms`,
}));
