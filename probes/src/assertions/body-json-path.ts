import type { Assertion } from "@svc/contract";
import { JsonPathError, type JsonPathStep, jsonPathSteps, valueAt } from "@svc/contract";
import type { FoundInJson, JsonSearch } from "../base/json-pool.ts";
import { PREVIEW_CHARACTERS_MAX, textPreview, valuePreview } from "../base/storable-text.ts";
import type { ResponseBody } from "../http/body.ts";
import { type AssertionJudgement, defineBodyAssertion } from "./define.ts";

type JsonPathAssertion = Extract<Assertion, { type: "body_json_path" }>;

/** The value at a path. */
interface Found {
  /** Undefined when the value is longer than the expected one, to which it can't be equal. */
  value: unknown;
  /** Names the kind of the value in a sentence. */
  kind: string;
  /** The value as it is shown. */
  shown: unknown;
}

/**
 * Judges the value at a JSON path of the body. Nothing there fails `equals` and `contains` and passes `not_equals`; an
 * invalid path or a body that is no JSON fails. A long body is parsed in a worker thread, once for all assertions.
 */
export const bodyJsonPath = defineBodyAssertion("body_json_path", {
  expectedOf: ({ value }) => value,
  judge: (assertion, { body }, { assertions }): AssertionJudgement | Promise<AssertionJudgement> => {
    const { path, operator, value } = assertion;
    let steps: readonly JsonPathStep[];
    try {
      steps = jsonPathSteps(path);
    } catch (error) {
      if (!(error instanceof JsonPathError)) throw error;
      const expected = operator === "exists" ? true : value;
      return { passed: false, expected, actual: null, message: error.message };
    }
    if (body.isLongJson)
      return findInLongBody(body, assertion, assertions).then((found) => judgeFound(assertion, found));
    const found = valueAt(body.json(), steps);
    return judgeFound(assertion, found && foundOf(found.value));
  },
});

/** Finds the value of an assertion in a body that is parsed once for all assertions. */
async function findInLongBody(
  body: ResponseBody,
  assertion: JsonPathAssertion,
  assertions: readonly Assertion[],
): Promise<Found | undefined> {
  const asked = assertions.flatMap((one) => {
    const search = one.type === "body_json_path" ? searchOf(one) : undefined;
    return search ? [{ assertion: one, search }] : [];
  });
  const found = await body.findJson(asked.map(({ search }) => search));
  const own = found[asked.findIndex((one) => one.assertion === assertion)] as FoundInJson;
  switch (own.kind) {
    case "nothing":
      return undefined;
    case "value":
      return foundOf(own.value);
    case "json":
      return foundOf(JSON.parse(own.json));
    case "start":
      return {
        value: undefined,
        kind: own.json.startsWith("[") ? "an array" : "an object",
        shown: textPreview(own.json.slice(0, PREVIEW_CHARACTERS_MAX + 1)),
      };
  }
}

/** Returns the search for an assertion's value; undefined when its path is invalid. */
function searchOf({ path, value }: JsonPathAssertion): JsonSearch | undefined {
  try {
    // Equal values have JSON texts of one length: a longer one need not be handed back to be compared.
    const expectedCharacters = JSON.stringify(value)?.length ?? 0;
    const charactersMax = Math.max(expectedCharacters, PREVIEW_CHARACTERS_MAX + 1);
    return { steps: jsonPathSteps(path), charactersMax };
  } catch (error) {
    if (error instanceof JsonPathError) return undefined;
    throw error;
  }
}

function foundOf(value: unknown): Found {
  return { value, kind: kindOf(value), shown: valuePreview(value) };
}

function judgeFound(assertion: JsonPathAssertion, found: Found | undefined): AssertionJudgement {
  const { path, operator, value } = assertion;
  const nothing = `nothing is at ${path}`;
  const shown = found ? found.shown : null;
  switch (operator) {
    case "exists":
      return { passed: found !== undefined, expected: true, actual: found !== undefined, message: nothing };
    case "equals":
      return {
        passed: found !== undefined && isEqualJson(found.value, value),
        expected: value,
        actual: shown,
        message: found ? `${path} is ${quote(shown)}, expected ${quote(value)}` : nothing,
      };
    case "not_equals":
      return {
        passed: found === undefined || !isEqualJson(found.value, value),
        expected: value,
        actual: shown,
        message: `${path} is ${quote(value)}, expected anything else`,
      };
    case "contains":
      return judgeContains(assertion, found);
  }
}

function judgeContains({ path, value }: JsonPathAssertion, found: Found | undefined): AssertionJudgement {
  if (!found) return { expected: value, actual: null, passed: false, message: `nothing is at ${path}` };
  const common = { expected: value, actual: found.shown };
  if (typeof found.value !== "string")
    return { ...common, passed: false, message: `${path} is ${found.kind}; contains applies to a string` };
  if (typeof value !== "string")
    return { ...common, passed: false, message: `contains needs a string to look for, not ${kindOf(value)}` };
  return {
    ...common,
    passed: found.value.includes(value),
    message: `${path} is ${quote(found.shown)}, which does not contain ${quote(value)}`,
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
