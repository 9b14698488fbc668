/** Tools as the protocol lists them, and which of them a caller may use. */

import type { Tool as ListedTool } from "@modelcontextprotocol/sdk/types.js";
import { DomainError, roleIncludes, type TeamRole } from "@svc/contract";
import * as z from "zod";
import { mcpTools } from "./tools/registry.ts";
import type { Tool } from "./tools/tool.ts";

/** The properties of a caller that decide about its tools. */
export interface ToolAccess {
  role: TeamRole;
  /** True in read mode. */
  isReadMode: boolean;
}

/** Role that a tool needs which changes something. */
const CHANGING_ROLE = "member";

const listed = new Map<boolean, ListedTool[]>();

/** Returns the tools of a caller as the protocol lists them. The lists are made once: whoever gets one changes nothing in it. */
export function listTools(access: ToolAccess): ListedTool[] {
  const isReadingOnly = access.isReadMode || !roleIncludes(access.role, CHANGING_ROLE);
  const known = listed.get(isReadingOnly);
  if (known) return known;
  const tools = mcpTools.members.filter(({ isReading }) => isReading || !isReadingOnly).map(listedTool);
  listed.set(isReadingOnly, tools);
  return tools;
}

/**
 * Refuses a tool that the caller may not use, listed or not.
 * @throws DomainError `role_required` or `forbidden`
 */
export function assertMayCall({ type, isReading }: Tool, { role, isReadMode }: ToolAccess): void {
  if (isReading) return;
  if (isReadMode)
    throw new DomainError(
      "forbidden",
      `${type} changes something, and this connection is in read mode (mode=read)`,
    );
  if (!roleIncludes(role, CHANGING_ROLE))
    throw new DomainError(
      "role_required",
      `${type} needs an API key with the role ${CHANGING_ROLE}; keys with the role ${role} only read`,
    );
}

function listedTool({ type, title, description, input, isReading }: Tool): ListedTool {
  return {
    name: type,
    title,
    description,
    inputSchema: z.toJSONSchema(input, { io: "input" }) as ListedTool["inputSchema"],
    annotations: {
      readOnlyHint: isReading,
      destructiveHint: false,
      idempotentHint: isReading,
      openWorldHint: false,
    },
  };
}
