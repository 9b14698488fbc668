/** Calls a tool for a client: checks that the caller may, parses the arguments, and bounds the answer. */
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { type DomainError, parseOrInvalid, problemsOf } from "@svc/contract";
import { ANSWER_BYTES_MAX, answerText } from "./answers/answer-text.ts";
import { assertMayCall, type ToolAccess } from "./listed-tools.ts";
import type { Tool, ToolCall } from "./tools/tool.ts";

/** A call of a tool by a client. */
export interface ClientCall extends ToolCall {
  access: ToolAccess;
  /** Returns the error that the caller may see, and logs the others. */
  asAnswer(error: unknown): DomainError;
}

/** Returns the tool's answer; a refusal is an answer, too, so that a model can read the reason and do better. */
export async function callTool(tool: Tool, input: unknown, call: ClientCall): Promise<CallToolResult> {
  try {
    return { content: [{ type: "text", text: await readTool(tool, input, call) }] };
  } catch (error) {
    return { content: [{ type: "text", text: errorText(call.asAnswer(error)) }], isError: true };
  }
}

/**
 * Returns the text of a tool's answer.
 * @throws DomainError for what the caller did wrong
 */
export async function readTool(tool: Tool, input: unknown, call: ClientCall): Promise<string> {
  assertMayCall(tool, call.access);
  return answerText(await tool.run(call, parseOrInvalid(tool.input, input ?? {})));
}

function errorText({ code, message, details, retryAfterSeconds }: DomainError): string {
  const problems = details ? problemsOf(details) : [];
  const text = JSON.stringify({
    error: message,
    code,
    ...(problems.length > 0 && { problems }),
    retryAfterSeconds,
  });
  return Buffer.byteLength(text) <= ANSWER_BYTES_MAX
    ? text
    : JSON.stringify({ error: message.slice(0, 500), code });
}
