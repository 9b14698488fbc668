/** One test call: the tool is called, its output looked at. */
import type { McpCallReport, McpConfig } from "@svc/contract";
import { storableText, textPreview } from "../base/storable-text.ts";
import { monotonicUs } from "../run/phase-clock.ts";
import { AnsweredWithError } from "./answered-with-error.ts";
import { isObject } from "./tools.ts";

type TestCall = NonNullable<McpConfig["testCalls"]>[number];

/** Of the output, kept in the result. More of it when the call failed, since someone will want to see why. */
const PREVIEW_CHARACTERS_PASSED = 500;
const PREVIEW_CHARACTERS_FAILED = 4_000;

/** @throws TargetFailure, RunnerFailure when there is no usable answer; an answer that says no is a report that did not pass */
export async function callTool(
  call: TestCall,
  ask: (params: Record<string, unknown>) => Promise<Record<string, unknown>>,
): Promise<McpCallReport> {
  const startedUs = monotonicUs();
  const verdict = await verdictOn(call, ask);
  return {
    toolName: call.toolName,
    passed: verdict.message === undefined,
    ...(verdict.message === undefined ? {} : { message: verdict.message }),
    durationMs: Math.round(monotonicUs() - startedUs) / 1000,
    ...previewOf(verdict.output, verdict.message === undefined),
  };
}

async function verdictOn(
  { toolName, arguments: given, expectedOutputContains: expected }: TestCall,
  ask: (params: Record<string, unknown>) => Promise<Record<string, unknown>>,
): Promise<{ message?: string; output: string }> {
  let result: Record<string, unknown>;
  try {
    result = await ask({ name: toolName, arguments: given ?? {} });
  } catch (error) {
    if (!(error instanceof AnsweredWithError)) throw error;
    return { message: `the call was refused: ${error.message}`, output: "" };
  }
  const output = outputOf(result);
  if (result.isError === true) return { message: `the tool failed: ${textPreview(output)}`, output };
  if (expected !== undefined && !output.includes(expected))
    return { message: `the output does not contain "${textPreview(expected)}"`, output };
  return { output };
}

/** What a call answered, as text: its texts (those of embedded resources too), and its structured content as JSON. Pure. */
export function outputOf({ content, structuredContent }: Record<string, unknown>): string {
  const parts: string[] = [];
  for (const part of Array.isArray(content) ? content : []) {
    if (!isObject(part)) continue;
    const { text } = isObject(part.resource) ? part.resource : part;
    if (typeof text === "string") parts.push(text);
  }
  if (isObject(structuredContent)) parts.push(jsonOf(structuredContent));
  return parts.join("\n");
}

/** Empty when it nests deeper than the stack. */
function jsonOf(value: object): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return "";
    throw error;
  }
}

function previewOf(
  output: string,
  passed: boolean,
): Pick<McpCallReport, "outputPreview" | "outputCharacters"> {
  const charactersMax = passed ? PREVIEW_CHARACTERS_PASSED : PREVIEW_CHARACTERS_FAILED;
  if (output.length <= charactersMax) return { outputPreview: storableText(output) };
  return { outputPreview: storableText(output.slice(0, charactersMax)), outputCharacters: output.length };
}
