import { defineAssertion } from "./define.ts";

const WORDS = {
  equals: "",
  not_equals: "anything but ",
  less_than: "less than ",
  greater_than: "more than ",
} as const;

/** Compares the status code of the last response, after redirects, with `value`. */
export const statusCode = defineAssertion("status_code", ({ operator, value }, { httpStatusCode }) => ({
  passed: holds(operator, httpStatusCode, value),
  expected: value,
  actual: httpStatusCode,
  message: `expected status ${WORDS[operator]}${value}, got ${httpStatusCode}`,
}));

function holds(operator: keyof typeof WORDS, actual: number, expected: number): boolean {
  switch (operator) {
    case "equals":
      return actual === expected;
    case "not_equals":
      return actual !== expected;
    case "less_than":
      return actual < expected;
    case "greater_than":
      return actual > expected;
  }
}
