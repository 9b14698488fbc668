/** Valid defaults for tests, so that a test states only what matters to it. */
import { type HttpConfig, httpConfigSchema } from "@svc/contract";
import type { ProbeOutcome, RunFault, RunResult } from "../src/run/outcome.ts";
import type { ProbeContext, ProbeRequest } from "../src/run/probe.ts";

/** A configuration as the contract completes it. */
function aHttpConfig(config: { url: string } & Record<string, unknown>): HttpConfig {
  return httpConfigSchema.parse(config);
}

export function aRequest(
  config: { url: string } & Record<string, unknown>,
  request: Partial<ProbeRequest> = {},
): ProbeRequest {
  return {
    checkId: "chk_test",
    type: "http",
    config: aHttpConfig(config),
    retry: null,
    slotMs: 0,
    frequencySeconds: 60,
    ...request,
  };
}

/** A context that may reach this machine. */
export function aContext(context: Partial<ProbeContext> = {}): ProbeContext {
  return {
    signal: new AbortController().signal,
    allowPrivateAddresses: true,
    nowMs: () => Date.now(),
    userAgent: "svc-test/1.0",
    ...context,
  };
}

export function expectResult(outcome: ProbeOutcome): RunResult {
  if (outcome.kind !== "result") throw new Error(`expected a result, got the fault "${outcome.message}"`);
  return outcome;
}

export function expectFault(outcome: ProbeOutcome): RunFault {
  if (outcome.kind !== "fault") throw new Error(`expected a fault, got the result ${outcome.status}`);
  return outcome;
}
