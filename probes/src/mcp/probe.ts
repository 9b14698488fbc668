/** The probe of MCP checks. The SDK takes 0.2 s to load, so it is loaded when the first such check runs. */
import type { Probe } from "../run/probe.ts";

/** Carries out one run of an MCP check. */
export const mcpProbe = {
  type: "mcp",
  needsHost: false,
  async run(request, context) {
    const { runMcp } = await import("./run.ts");
    return runMcp(request, context);
  },
} as const satisfies Probe;
