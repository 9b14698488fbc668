/** Connects to targets for a run, if the egress policy permits, at the very address that was judged. */
import type net from "node:net";
import { connect, type DialScope, lookUp, pinLiteral, portOf } from "../../http/connection.ts";
import { RunnerFailure, TargetFailure } from "../../run/failures.ts";
import { PhaseClock } from "../../run/phase-clock.ts";
import type { RunTraffic } from "./run-traffic.ts";

/** Longest time of a lookup and a connection together. The run's own limit usually comes first. */
const CONNECT_LIMIT_MS = 30_000;

/**
 * Connects to the host and port of a URL.
 * @throws TargetFailure, RunnerFailure; the failure is noted with the run as well
 */
export async function connectFor(traffic: RunTraffic, url: URL): Promise<net.Socket> {
  const clock = new PhaseClock();
  const scope: DialScope = {
    egress: traffic.egress,
    clock,
    signal: AbortSignal.any([traffic.signal, AbortSignal.timeout(CONNECT_LIMIT_MS)]),
  };
  const authority = authorityOf(url);
  try {
    const addresses = pinLiteral(url.hostname, scope) ?? (await lookUp(url.hostname, scope));
    const socket = await connect(url, addresses, scope);
    const { dnsLookupUs, tcpConnectUs } = clock.times();
    traffic.noteTimes(authority, {
      ...(dnsLookupUs === undefined ? {} : { dnsLookupUs }),
      ...(tcpConnectUs === undefined ? {} : { tcpConnectUs }),
    });
    return socket;
  } catch (error) {
    if (error instanceof TargetFailure)
      traffic.noteFailure(authority, { kind: "target", category: error.category, message: error.message });
    if (error instanceof RunnerFailure)
      traffic.noteFailure(authority, { kind: "runner", reason: error.reason, message: error.message });
    throw error;
  }
}

/** Returns `host:port`, with the port that the scheme implies. */
export function authorityOf(url: URL): string {
  return `${url.hostname}:${portOf(url)}`;
}
