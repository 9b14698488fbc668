/** Carries out one test call: calls the tool and judges its output. */

import type { McpCallReport, McpConfig } from "@svc/contract";
import { isObject } from "@svc/contract";
import { storableText, textPreview } from "../base/storable-text.ts";
import { monotonicUs } from "../run/phase-clock.ts";
import { AnsweredWithError } from "./answered-with-error.ts";

type TestCall = NonNullable<McpConfig["testCalls"]>[number];

/** Largest part of the output that the result keeps. More when the call failed, since somebody will want to see why. */
const PREVIEW_CHARACTERS_PASSED = 500;
const PREVIEW_CHARACTERS_FAILED = 4_000;

/**
 * Calls a tool. An answer that reports an error makes a report that did not pass.
 * @throws TargetFailure, RunnerFailure when there is no usable answer
 */
export async function callTool(
  call: TestCall,
  ask: (params: Record<string, unknown>) => Promise<Record<string, unknown>>,
): Promise<McpCallReport> {
  const startedUs = monotonicUs();
  const outcome = await outcomeOf(call, ask);
  return {
    toolName: call.toolName,
    passed: outcome.message === undefined,
    ...(outcome.message === undefined ? {} : { message: outcome.message }),
    durationMs: Math.round(monotonicUs() - startedUs) / 1000,
    ...previewOf(outcome.output, outcome.message === undefined),
  };
}

async function outcomeOf(
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

/**
 * Returns the output of a call as text: its texts, those of embedded resources included, and its structured content
 * as JSON. Pure.
 */
function outputOf({ content, structuredContent }: Record<string, unknown>): string {
  const parts: string[] = [];
  for (const part of Array.isArray(content) ? content : []) {
    if (!isObject(part)) continue;
    const { text } = isObject(part.resource) ? part.resource : part;
    if (typeof text === "string") parts.push(text);
  }
  if (isObject(structuredContent)) parts.push(jsonOf(structuredContent));
  return parts.join("\n");
}

/** Returns the value's JSON text; an empty one when the value nests deeper than the stack. */
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
