/** Tools: what an MCP client may have the service do. A tool calls the verbs of REST routes and may do what these routes may. */
import type { RouteDefinition } from "@svc/contract";
import type * as z from "zod";
import type { ChecksSummaries } from "../../overview/checks-summary.ts";
import type { Overviews } from "../../overview/get-overview.ts";
import type { SlotCounts } from "../../overview/slot-counts.ts";
import type { TeamContext } from "../../platform/team-context.ts";

/** Summaries of teams that are kept for the next who ask, shared with the REST routes. */
export interface ToolParts {
  overviews: Overviews;
  summaries: ChecksSummaries;
  slotCounts: SlotCounts;
}

/** On whose behalf a tool acts, and with what. */
export interface ToolCall {
  ctx: TeamContext;
  parts: ToolParts;
}

/**
 * Answer of a tool. `summary` is a sentence of the service's own. What a target or another stranger wrote stands in a field
 * named `untrusted` and nowhere else.
 */
export interface ToolAnswer {
  summary: string;
  [field: string]: unknown;
}

/** A tool as it is defined. */
export interface ToolDefinition<Input extends z.ZodObject> {
  /** Name by which clients call the tool. */
  readonly type: string;
  readonly title: string;
  /** Tells a model what the tool answers and when to call it. */
  readonly description: string;
  /** Routes whose verbs the tool calls; their access is the tool's. */
  readonly routes: readonly [RouteDefinition, ...RouteDefinition[]];
  readonly input: Input;
  /** @throws DomainError for whatever the caller did wrong */
  run(call: ToolCall, input: z.output<Input>): Promise<ToolAnswer>;
}

/** A tool, whatever its arguments are. */
export interface Tool extends Omit<ToolDefinition<z.ZodObject>, "run"> {
  /** True when the tool changes nothing, so that it is offered in read mode and to keys that only read. */
  readonly isReading: boolean;
  run(call: ToolCall, input: unknown): Promise<ToolAnswer>;
}

/**
 * Returns the tool of a definition.
 * @throws Error when the tool would need more than an API key may have
 */
export function defineTool<Input extends z.ZodObject>(definition: ToolDefinition<Input>): Tool {
  const { type, routes, run } = definition;
  for (const { access, method, path } of routes)
    if (access !== "reads" && access !== "changes")
      throw new Error(`the tool ${type} calls ${method} ${path}, whose access "${access}" no tool has`);
  return {
    ...definition,
    isReading: routes.every(({ access }) => access === "reads"),
    run: (call, input) => run(call, input as z.output<Input>),
  };
}
