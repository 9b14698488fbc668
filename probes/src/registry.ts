/** The check types that a runner can carry out. To add one: a folder with its probe, its line in the list, its contract. */
import { type CheckType, defineFamily, type PushedCheckType } from "@svc/contract";
import { browserProbe } from "./browser/probe.ts";
import { dnsProbe } from "./dns/probe.ts";
import { grpcProbe } from "./grpc/probe.ts";
import { httpProbe } from "./http-check/probe.ts";
import { mcpProbe } from "./mcp/probe.ts";
import { multistepProbe } from "./multistep/probe.ts";
import { pingProbe } from "./ping/probe.ts";
import { hideCredentials } from "./run/hide-credentials.ts";
import type { ProbeOutcome } from "./run/outcome.ts";
import type { Once, OnceContext, Probe, ProbeContext, ProbeHosts, ProbeRequest } from "./run/probe.ts";
import { tcpProbe } from "./tcp/probe.ts";
import { tlsProbe } from "./tls/probe.ts";
import { websocketProbe } from "./websocket/probe.ts";

/** The probe of every check type that is probed. */
export const checkProbes = defineFamily("check type", [
  httpProbe,
  browserProbe,
  mcpProbe,
  tcpProbe,
  tlsProbe,
  dnsProbe,
  grpcProbe,
  websocketProbe,
  pingProbe,
  multistepProbe,
]);

/** The check types that a runner can carry out, and why it can't carry out those that it was tried out for in vain. */
export interface Capabilities {
  types: string[];
  missing: { type: string; reason: string }[];
}

/** Returns the check types that a runner with these hosts can carry out on this machine, for it to announce. */
export async function capabilitiesWith(hosts: ProbeHosts): Promise<Capabilities> {
  const capabilities: Capabilities = { types: [], missing: [] };
  for (const { type, needsHost, tryOut } of checkProbes.members as readonly Probe[]) {
    if (needsHost && hosts[type] === undefined) continue;
    const reason = await tryOut?.();
    if (reason === undefined) capabilities.types.push(type);
    else capabilities.missing.push({ type, reason });
  }
  return capabilities;
}

/** Carries out one run of a check. Never rejects: an unexpected error in here is a fault of the runner. */
export async function runProbe(request: ProbeRequest, context: ProbeContext): Promise<ProbeOutcome> {
  const probe = checkProbes.find(request.type);
  if (!probe)
    return {
      kind: "fault",
      reason: "unsupported",
      message: `this runner has no probe for checks of type ${request.type}`,
    };
  if (request.trafficLimits && !probe.needsHost)
    return {
      kind: "fault",
      reason: "unsupported",
      message: "only a script can run with limits of its traffic",
    };
  try {
    return hideCredentials(request, await probe.run(request, context));
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { kind: "fault", reason: "crash", message: `internal error: ${message}` };
  }
}

/**
 * Makes one attempt of a check, as a run without retries does it. Never rejects for what the target does.
 * @param check.config valid by the contract's schema of the type, with defaults filled in
 */
export async function runOnce(
  check: { type: Exclude<CheckType, PushedCheckType>; config: unknown },
  context: OnceContext,
): Promise<Once> {
  const { once }: Probe = checkProbes.get(check.type);
  if (once) return once(check.config, context);
  const request = {
    ...check,
    checkId: "",
    retry: null,
    slotMs: 0,
    frequencySeconds: 60,
    keepsAssertions: true,
  };
  const outcome = await runProbe(request, context);
  if (outcome.kind === "fault") return { status: "error", assertions: [], errorMessage: outcome.message };
  const { status, responseTimeUs, detail = {} } = outcome;
  const { assertions = [], errorMessage } = detail;
  return {
    status,
    ...(status === "success" || status === "failure" ? { responseTimeUs } : {}),
    assertions,
    ...(errorMessage === undefined ? {} : { errorMessage }),
  };
}
