/** The check types that can be carried out, and how. */
import { browserProbe } from "./browser/probe.ts";
import { httpProbe } from "./http-check/probe.ts";
import { mcpProbe } from "./mcp/probe.ts";
import type { Probe, ProbeContext, ProbeOutcome, ProbeRequest } from "./run/probe.ts";

/** Every probe by its check type. */
export const PROBES: ReadonlyMap<string, Probe> = new Map(
  [httpProbe, browserProbe, mcpProbe].map((probe) => [probe.type, probe]),
);

/** What a runner with these probes says it can run; browser checks only where there is a browser (see `BrowserHost`). */
export const PROBE_CAPABILITIES: readonly string[] = [...PROBES.keys()];

/** Carries out one run of a check. Never rejects: what breaks in here is a fault of the runner. */
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
