/** The prompts of the MCP server, in the order in which clients see them. */
import { defineFamily } from "@svc/contract";
import type { Prompt } from "./prompt.ts";
import { shiftReport } from "./shift-report.ts";
import { triageCheck } from "./triage-check.ts";
import { triageIncident } from "./triage-incident.ts";

/** Every prompt. */
export const mcpPrompts = defineFamily<readonly Prompt[]>("MCP prompt", [
  triageCheck,
  triageIncident,
  shiftReport,
]);
