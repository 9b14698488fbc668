/** Runs checks of any type as their contract completes them. */
import { type CheckType, checkTypes } from "@svc/contract";
import { runProbe } from "../src/registry.ts";
import type { ProbeContext, ProbeRequest } from "../src/run/probe.ts";
import { aContext, expectResult } from "./builders.ts";

/** Returns a request for one run of a check with this configuration. */
export function aRequestOf(
  type: CheckType,
  config: Record<string, unknown>,
  request: Partial<ProbeRequest> = {},
): ProbeRequest {
  return {
    checkId: "chk_test",
    type,
    config: checkTypes.get(type).configSchema.parse(config),
    retry: null,
    slotMs: 0,
    frequencySeconds: 60,
    ...request,
  };
}

/** Carries out one run, with its evidence kept, and returns its result. */
export async function runOf(
  type: CheckType,
  config: Record<string, unknown>,
  options: { context?: Partial<ProbeContext>; request?: Partial<ProbeRequest> } = {},
) {
  const request = aRequestOf(type, config, { keepsAssertions: true, ...options.request });
  return expectResult(await runProbe(request, aContext(options.context)));
}
