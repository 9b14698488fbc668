/** The direct way to a port: lookup, and TCP to one of the addresses found. Always a new connection, never one from a pool. */
import type net from "node:net";
import { DialError, type PinnedAddress } from "@svc/egress";
import { codeOf, RunnerFailure, rethrowFailure, runnerFaultOf, TargetFailure } from "../run/failures.ts";
import { type RunScope, untilAborted } from "../run/run-scope.ts";

/** The part of a run's scope that lookup and dialling need. */
export type DialScope = Pick<RunScope, "egress" | "clock" | "signal">;

/**
 * Returns the addresses of a host, all of them allowed. An address needs no lookup, and so no phase of one.
 * @throws TargetFailure, RunnerFailure, or the signal's reason
 */
export async function addressesOf(hostname: string, scope: DialScope): Promise<PinnedAddress[]> {
  return pinLiteral(hostname, scope) ?? (await lookUp(hostname, scope));
}

/**
 * Returns the address of a host that is an address itself; undefined for a name.
 * @throws TargetFailure when the address is denied
 */
function pinLiteral(hostname: string, { egress }: DialScope): PinnedAddress[] | undefined {
  try {
    return egress.pinLiteral(hostname);
  } catch (error) {
    rethrowFailure(error);
    throw error;
  }
}

/**
 * Looks up the addresses of a name.
 * @throws TargetFailure, RunnerFailure, or the signal's reason
 */
async function lookUp(hostname: string, scope: DialScope): Promise<PinnedAddress[]> {
  scope.clock.enter("dns");
  try {
    return await untilAborted(scope.egress.pin(hostname), scope.signal);
  } catch (error) {
    scope.clock.leave();
    const { reason } = scope.signal;
    if (reason instanceof RunnerFailure) throw reason;
    const isInconclusive = reason !== undefined || codeOf(error) === "EAI_AGAIN";
    if (isInconclusive) await assertResolverWorks(hostname, scope);
    if (reason !== undefined) throw reason;
    rethrowFailure(error);
    throw lookupFailure(hostname, error);
  } finally {
    scope.clock.leave();
  }
}

/** Throws a RunnerFailure when this runner's own resolver fails, since then nothing is known about the target. */
async function assertResolverWorks(hostname: string, { egress }: DialScope): Promise<void> {
  switch (await egress.resolverHealth(hostname)) {
    case "unreachable":
      throw new RunnerFailure("network", `looking up ${hostname} failed: no name server answers this runner`);
    case "saturated":
      throw new RunnerFailure(
        "capacity",
        `looking up ${hostname} was held up in this runner, its name servers answer; raise UV_THREADPOOL_SIZE`,
      );
    case "ok":
  }
}

function lookupFailure(hostname: string, error: unknown): Error {
  const code = codeOf(error) ?? "unknown error";
  const fault = runnerFaultOf([code]);
  if (fault) return new RunnerFailure(fault, `looking up ${hostname} failed: ${code}`, { cause: error });
  const message =
    code === "ENOTFOUND"
      ? `${hostname} has no address in DNS (ENOTFOUND)`
      : `looking up ${hostname} failed: its name servers gave no usable answer (${code})`;
  return new TargetFailure(
    { status: "error", category: "dns", message, isNetworkError: true },
    { cause: error },
  );
}

/**
 * Connects to one of a host's addresses.
 * @throws TargetFailure, RunnerFailure, or the signal's reason
 */
export async function connect(
  url: URL,
  addresses: readonly PinnedAddress[],
  scope: DialScope,
): Promise<net.Socket> {
  scope.clock.enter("tcp");
  try {
    return await scope.egress.dial({ hostname: url.hostname, addresses, port: portOf(url) }, scope.signal);
  } catch (error) {
    if (scope.signal.aborted) throw scope.signal.reason;
    rethrowFailure(error);
    const fault = runnerFaultOf(error instanceof DialError ? error.codes : [codeOf(error)]);
    const message = `connecting to ${url.host} failed: ${(error as Error).message}`;
    if (fault) throw new RunnerFailure(fault, message, { cause: error });
    throw new TargetFailure(
      { status: "error", category: "connect", message, isNetworkError: true },
      { cause: error },
    );
  } finally {
    scope.clock.leave();
  }
}

/** Returns the port of a URL, given or implied by its scheme. */
export function portOf({ port, protocol }: URL): number {
  if (port !== "") return Number(port);
  return protocol === "http:" || protocol === "ws:" ? 80 : 443;
}
