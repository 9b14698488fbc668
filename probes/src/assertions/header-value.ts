import { textPreview } from "../base/storable-text.ts";
import { defineAssertion } from "./define.ts";

/**
 * Judges the value of one response header; letter case of its name doesn't matter. A missing header fails every operator.
 */
export const headerValue = defineAssertion(
  "header_value",
  ({ header, operator, value = "" }, { headers }) => {
    const actual = headers.get(header);
    const shown = actual === undefined ? null : textPreview(actual);
    if (operator === "exists")
      return {
        passed: actual !== undefined,
        expected: true,
        actual: actual !== undefined,
        message: `the response has no header ${header}`,
      };
    if (actual === undefined)
      return {
        passed: false,
        expected: value,
        actual: null,
        message: `the response has no header ${header}`,
      };
    if (operator === "contains")
      return {
        passed: actual.includes(value),
        expected: value,
        actual: shown,
        message: `header ${header} is "${shown}", which does not contain "${textPreview(value)}"`,
      };
    return {
      passed: actual === value,
      expected: value,
      actual: shown,
      message: `header ${header} is "${shown}", expected "${textPreview(value)}"`,
    };
  },
);
