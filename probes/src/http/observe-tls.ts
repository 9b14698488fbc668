/** Observes the certificate of a server by a handshake of its own, for runs whose connections somebody else makes. */
import type { TlsFacts } from "@svc/contract";
import type { ConnectionSettings } from "../run/connection-settings.ts";
import { egressOf } from "../run/egress-of.ts";
import { PhaseClock } from "../run/phase-clock.ts";
import type { ProbeContext } from "../run/probe.ts";
import type { RunScope } from "../run/run-scope.ts";
import { openConnection } from "./connection.ts";

/** Longest time of lookup, connection and handshake together. */
const OBSERVE_LIMIT_MS = 5_000;

/** The certificate of a server, and the time that its handshake took. */
export interface ObservedTls {
  facts: TlsFacts;
  tlsHandshakeUs: number | undefined;
}

/**
 * Returns the TLS facts of a URL's host, those of a certificate that can't be trusted included. Never rejects.
 * @returns undefined for a URL that is not https, and when no handshake came about in 5 s
 */
export async function observeTls(
  url: URL,
  connection: ConnectionSettings | undefined,
  context: ProbeContext,
): Promise<ObservedTls | undefined> {
  if (url.protocol !== "https:") return undefined;
  const scope: RunScope = {
    egress: egressOf(context),
    clock: new PhaseClock(),
    nowMs: context.nowMs,
    signal: AbortSignal.any([context.signal, AbortSignal.timeout(OBSERVE_LIMIT_MS)]),
    caCertificates: context.caCertificates ?? [],
    connection,
    keepsBody: false,
    bodyClaim: undefined,
    tls: undefined,
    url,
  };
  try {
    (await openConnection(url, scope)).socket.destroy();
  } catch {
    // The run itself tells why its target can't be reached.
  }
  return scope.tls && { facts: scope.tls, tlsHandshakeUs: scope.clock.times().tlsHandshakeUs };
}
