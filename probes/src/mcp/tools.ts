/** Fetches and checks the tools of a server: all pages of tools/list. */
import { isObject } from "@svc/contract";

import { textPreview } from "../base/storable-text.ts";
import { TargetFailure } from "../run/failures.ts";
import { AnsweredWithError } from "./answered-with-error.ts";
import { PAGES_MAX, TOOL_NAME_CHARACTERS_MAX, TOOLS_MAX } from "./limits.ts";

/** A tool as the server describes it. Its other fields are not used. */
export interface McpTool {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
  annotations: Record<string, unknown>;
}

/**
 * Fetches one page.
 * @throws AnsweredWithError, TargetFailure, RunnerFailure
 */
export type AskForPage = (params: { cursor?: string }) => Promise<Record<string, unknown>>;

/**
 * Returns all tools in the server's order, never only a part of them.
 * @throws TargetFailure, RunnerFailure
 */
export async function listTools(ask: AskForPage): Promise<McpTool[]> {
  const tools = new Map<string, McpTool>();
  const cursors = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await askOrFail(ask, cursor === undefined ? {} : { cursor });
    for (const tool of toolsOf(page)) {
      if (tools.has(tool.name)) throw unusable(`names the tool "${tool.name}" twice`);
      tools.set(tool.name, tool);
    }
    if (tools.size > TOOLS_MAX) throw unusable(`names more than ${TOOLS_MAX} tools`);
    cursor = cursorOf(page);
    if (cursor !== undefined && cursors.has(cursor))
      throw unusable(`has no end: the cursor "${textPreview(cursor)}" came twice`);
    if (cursor !== undefined) cursors.add(cursor);
    if (cursors.size >= PAGES_MAX) throw unusable(`has more than ${PAGES_MAX} pages`);
  } while (cursor !== undefined);
  return [...tools.values()];
}

async function askOrFail(ask: AskForPage, params: { cursor?: string }): Promise<Record<string, unknown>> {
  try {
    return await ask(params);
  } catch (error) {
    if (error instanceof AnsweredWithError) throw unusable(`was answered with an error: ${error.message}`);
    throw error;
  }
}

function cursorOf({ nextCursor }: Record<string, unknown>): string | undefined {
  if (nextCursor === undefined || nextCursor === null) return undefined;
  if (typeof nextCursor !== "string") throw unusable("has a nextCursor that is no text");
  return nextCursor;
}

function toolsOf({ tools }: Record<string, unknown>): McpTool[] {
  if (!Array.isArray(tools)) throw unusable("was answered without a list of tools");
  return tools.map(toolOf);
}

function toolOf(tool: unknown): McpTool {
  const { name, description, inputSchema, annotations } = isObject(tool) ? tool : {};
  if (typeof name !== "string" || name === "") throw unusable("has a tool without a name");
  if (name.length > TOOL_NAME_CHARACTERS_MAX)
    throw unusable(`has a tool whose name is longer than ${TOOL_NAME_CHARACTERS_MAX} characters`);
  if (!isObject(inputSchema)) throw unusable(`has no inputSchema for the tool "${textPreview(name)}"`);
  return {
    name: textPreview(name),
    description: typeof description === "string" ? description : "",
    inputSchema,
    annotations: isObject(annotations) ? annotations : {},
  };
}

function unusable(what: string): TargetFailure {
  return new TargetFailure({ status: "error", category: "protocol", message: `tools/list ${what}` });
}
