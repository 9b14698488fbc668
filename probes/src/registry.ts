/** The check types that a runner can carry out. To add one: a folder with its probe, and its line in the list below. */
import { browserProbe } from "./browser/probe.ts";
import { httpProbe } from "./http-check/probe.ts";
import { mcpProbe } from "./mcp/probe.ts";
import type { ProbeOutcome } from "./run/outcome.ts";
import type { Probe, ProbeContext, ProbeRequest } from "./run/probe.ts";

/** Every probe by its check type. */
export const PROBES: ReadonlyMap<string, Probe> = new Map(
  [httpProbe, browserProbe, mcpProbe].map((probe) => [probe.type, probe]),
);

/** The check types that a runner with these probes announces. A type whose probe needs a host counts only where that is. */
export const PROBE_CAPABILITIES: readonly string[] = [...PROBES.keys()];

/** Carries out one run of a check. Never rejects: an unexpected error in here is a fault of the runner. */
export async function runProbe(request: ProbeRequest, context: ProbeContext): Promise<ProbeOutcome> {
  const probe = PROBES.get(request.type);
  if (!probe)
    return {
      kind: "fault",
      reason: "unsupported",
      message: `this runner has no probe for checks of type ${request.type}`,
    };
  try {
    return await probe.run(request, context);
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { kind: "fault", reason: "crash", message: `internal error: ${message}` };
  }
}
