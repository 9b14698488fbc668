/** The prompts of the MCP server, in the order in which clients see them. */
import { defineFamily } from "@svc/contract";
import { shiftReport } from "./shift-report.ts";
import { triageCheck } from "./triage-check.ts";
import { triageIncident } from "./triage-incident.ts";

/** Every prompt. */
export const mcpPrompts = defineFamily("MCP prompt", [triageCheck, triageIncident, shiftReport]);
