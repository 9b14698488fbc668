import { JsonPathError, jsonPathSteps, valueAt } from "../base/json-path.ts";
import { textPreview, valuePreview } from "../base/storable-text.ts";
import { type AssertionJudgement, defineBodyAssertion } from "./define.ts";

/**
 * Judges the value at a JSON path of the body. Nothing there fails `equals` and `contains` and passes `not_equals`; an
 * invalid path or a body that is no JSON fails.
 */
export const bodyJsonPath = defineBodyAssertion("body_json_path", {
  expectedOf: ({ value }) => value,
  judge: ({ path, operator, value }, { body }): AssertionJudgement => {
    const expected = operator === "exists" ? true : value;
    let steps: ReturnType<typeof jsonPathSteps>;
    try {
      steps = jsonPathSteps(path);
    } catch (error) {
      if (error instanceof JsonPathError)
        return { passed: false, expected, actual: null, message: error.message };
      throw error;
    }
    const found = valueAt(body.json(), steps);
    const shown = found ? valuePreview(found.value) : null;
    const nothing = `nothing is at ${path}`;
    switch (operator) {
      case "exists":
        return { passed: found !== undefined, expected, actual: found !== undefined, message: nothing };
      case "equals":
        return {
          passed: found !== undefined && isEqualJson(found.value, value),
          expected,
          actual: shown,
          message: found ? `${path} is ${quote(shown)}, expected ${quote(value)}` : nothing,
        };
      case "not_equals":
        return {
          passed: found === undefined || !isEqualJson(found.value, value),
          expected,
          actual: shown,
          message: `${path} is ${quote(value)}, expected anything else`,
        };
      case "contains":
        return judgeContains({ path, value }, found, shown);
    }
  },
});

function judgeContains(
  { path, value }: { path: string; value?: unknown },
  found: { value: unknown } | undefined,
  shown: unknown,
): AssertionJudgement {
  const common = { expected: value, actual: shown };
  if (!found) return { ...common, passed: false, message: `nothing is at ${path}` };
  if (typeof found.value !== "string")
    return {
      ...common,
      passed: false,
      message: `${path} is ${kindOf(found.value)}; contains applies to a string`,
    };
  if (typeof value !== "string")
    return { ...common, passed: false, message: `contains needs a string to look for, not ${kindOf(value)}` };
  return {
    ...common,
    passed: found.value.includes(value),
    message: `${path} is ${quote(shown)}, which does not contain ${quote(value)}`,
  };
}

/**
 * True when two JSON values are equal: of one type, arrays in order, members of objects in any order. The number 1
 * does not equal the string "1".
 */
function isEqualJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(b, key) &&
      isEqualJson((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
  );
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function quote(value: unknown): string {
  return textPreview(JSON.stringify(value) ?? "undefined");
}
