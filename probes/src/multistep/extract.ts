/** Extracts a step's values from its response. Patterns and long JSON texts are handled in threads, as those of assertions are. */
import { JsonPathError, jsonPathSteps, valueAt } from "@svc/contract";
import { NO_TEAM } from "../base/no-team.ts";
import { matchDirectly } from "../base/regex-direct.ts";
import { findPart, MATCH_LIMIT_MS, RegexPoolBusy } from "../base/regex-pool.ts";
import { textPreview } from "../base/storable-text.ts";
import { BodyUnreadable, type ResponseBody } from "../http/body.ts";
import { BODY_BYTES_MAX, type HttpResponse } from "../http/response.ts";
import { RunnerFailure } from "../run/failures.ts";
import { type Extract, type Step, StepProblem } from "./step.ts";

/** Longest value that a step extracts. */
const VALUE_CHARACTERS_MAX = 8_192;

/** A complete response. */
interface Received {
  response: HttpResponse;
  /** Prepared when a value comes from it. */
  body: ResponseBody;
}

/** True when one of the values comes from the body, so that it must be kept and decoded. */
export function extractsFromBody({ extract }: Step): boolean {
  return extract.some(({ from }) => from === "json_path" || from === "regex");
}

/**
 * Returns the text of each value, in their order.
 * @throws StepProblem that names the first value that can't be extracted
 * @throws RunnerFailure when the threads or their memory are short
 */
export async function extractTexts(step: Step, received: Received): Promise<string[]> {
  const texts: string[] = [];
  for (const one of step.extract) {
    try {
      texts.push(fitting(await textOf(one, received, step)));
    } catch (error) {
      if (error instanceof StepProblem || error instanceof JsonPathError)
        throw new StepProblem(`value ${one.name}: ${error.message}`);
      if (error instanceof BodyUnreadable)
        throw new StepProblem(`value ${one.name}: the body ${error.message}`);
      throw error;
    }
  }
  return texts;
}

function fitting(text: string): string {
  if (text === "") throw new StepProblem("it is empty");
  if (text.length > VALUE_CHARACTERS_MAX)
    throw new StepProblem(`it is longer than ${VALUE_CHARACTERS_MAX} characters`);
  return text;
}

async function textOf(one: Extract, { response, body }: Received, step: Step): Promise<string> {
  switch (one.from) {
    case "status":
      return String(response.httpStatusCode);
    case "header": {
      const value = response.headers.get(one.header);
      if (value === undefined) throw new StepProblem(`the response has no header ${one.header}`);
      const where = { text: value, of: `the header ${one.header}`, team: body.team };
      return one.pattern === undefined ? value : partOf({ ...one, pattern: one.pattern }, where);
    }
    case "regex":
      if (body.wasCut)
        throw new BodyUnreadable(
          `is longer than ${BODY_BYTES_MAX} bytes, of which no more are read: it can't be searched`,
        );
      return partOf(one, { text: body.text(), of: "the body", team: body.team });
    case "json_path":
      return jsonText(one.path, await foundAt(one, body, step));
  }
}

/** Returns the value at a path; a long body is parsed once for all values of the step. */
async function foundAt(
  one: Extract & { from: "json_path" },
  body: ResponseBody,
  step: Step,
): Promise<{ value: unknown } | undefined> {
  const steps = jsonPathSteps(one.path);
  if (!body.isLongJson) return valueAt(body.json(), steps);
  const asked = step.extract.filter((other) => other.from === "json_path");
  const found = await body.findJson(
    asked.map(({ path }) => ({ steps: jsonPathSteps(path), charactersMax: 1 })),
  );
  const own = found[asked.indexOf(one)];
  if (!own || own.kind === "nothing") return undefined;
  return own.kind === "value" ? own : { value: own.json.startsWith("[") ? [] : {} };
}

function jsonText(path: string, found: { value: unknown } | undefined): string {
  if (!found) throw new StepProblem(`nothing is at ${path}`);
  const { value } = found;
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const kind = value === null ? "null" : Array.isArray(value) ? "an array" : "an object";
  throw new StepProblem(`${path} is ${kind}; a value is a text, a number or a boolean`);
}

async function partOf(
  { pattern, group }: { pattern: string; group: number },
  { text, of, team = NO_TEAM }: { text: string; of: string; team?: string },
): Promise<string> {
  const direct = group === 0 ? matchDirectly(pattern, text) : undefined;
  const found =
    direct === undefined
      ? await inPool({ pattern, group, text, team })
      : direct === null
        ? ({ kind: "no_match" } as const)
        : ({ kind: "match", text: direct } as const);
  switch (found.kind) {
    case "match":
      return found.text;
    case "no_match":
      throw new StepProblem(
        `${of} does not match the pattern ${textPreview(pattern)}${group === 0 ? "" : ` with its group ${group}`}`,
      );
    case "invalid":
      throw new StepProblem(`invalid pattern: ${textPreview(found.message)}`);
    case "overrun":
      throw new StepProblem(
        `the pattern did not finish within ${MATCH_LIMIT_MS} ms; simplify it (nested repetition is the usual cause)`,
      );
  }
}

async function inPool(search: { pattern: string; group: number; text: string; team: string }) {
  try {
    return await findPart({ ...search, charactersMax: VALUE_CHARACTERS_MAX + 1 });
  } catch (error) {
    if (error instanceof RegexPoolBusy) throw new RunnerFailure("capacity", error.message, { cause: error });
    throw error;
  }
}
