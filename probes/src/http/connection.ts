/** Opens the connection of one request: lookup, TCP, TLS. Always a new one, never from a pool. */
import net from "node:net";
import tls from "node:tls";
import type { TlsFacts } from "@svc/contract";
import { DialError, type PinnedAddress, type StopSignal } from "@svc/egress";
import { codeOf, RunnerFailure, rethrowFailure, runnerFaultOf, TargetFailure } from "../run/failures.ts";
import { type RunScope, untilAborted } from "../run/run-scope.ts";
import { tlsContext } from "./tls-context.ts";
import { describeTlsError, isNoCommonAlpn, isProtocolTooOld, trustMessage } from "./tls-errors.ts";
import { tlsFactsOf } from "./tls-facts.ts";
import { rememberTlsNeeds, type TlsNeeds, tlsNeedsOf } from "./tls-needs.ts";

/** An open connection to a target, with the protocol that was agreed on. `tls` is undefined over plain http. */
export interface Connection {
  socket: net.Socket;
  protocol: "http/1.1" | "h2";
  tls: TlsFacts | undefined;
}

/** The part of a run's scope that lookup and dialling need. */
export type DialScope = Pick<RunScope, "egress" | "clock" | "signal">;

/**
 * Opens a connection to a URL's host.
 * @throws TargetFailure, RunnerFailure, or the signal's reason
 */
export async function openConnection(url: URL, scope: RunScope): Promise<Connection> {
  const addresses = pinLiteral(url.hostname, scope) ?? (await lookUp(url.hostname, scope));
  if (url.protocol === "http:")
    return { socket: await connect(url, addresses, scope), protocol: "http/1.1", tls: undefined };

  const needs = tlsNeedsOf(url.host);
  for (;;) {
    const socket = await connect(url, addresses, scope);
    try {
      return await secure(socket, { url, needs }, scope);
    } catch (error) {
      if (scope.signal.aborted) throw scope.signal.reason;
      rethrowFailure(error);
      if (isNoCommonAlpn(error) && !needs.h2) needs.h2 = true;
      else if (isProtocolTooOld(error) && !needs.isLegacy) needs.isLegacy = true;
      else
        throw new TargetFailure(
          {
            status: "error",
            category: "tls",
            message: `TLS handshake with ${url.host} failed: ${describeTlsError(error)}`,
            isNetworkError: true,
          },
          { cause: error },
        );
    }
  }
}

/**
 * Returns the address of a host that is an address itself; undefined for a name.
 * @throws TargetFailure when the address is denied
 */
export function pinLiteral(hostname: string, { egress }: DialScope): PinnedAddress[] | undefined {
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
export async function lookUp(hostname: string, scope: DialScope): Promise<PinnedAddress[]> {
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

/** Makes the TLS handshake. A server that can't be trusted fails the run, with its facts. Owns the socket on every path. */
async function secure(
  socket: net.Socket,
  { url, needs }: { url: URL; needs: TlsNeeds },
  scope: RunScope,
): Promise<Connection> {
  // Neither SNI nor certificates have brackets or the final dot of a fully qualified name.
  const host = url.hostname.replace(/^\[|\]$|\.$/g, "");
  scope.clock.enter("tls");
  const secured = tls.connect({
    socket,
    host,
    servername: net.isIP(host) === 0 ? host : "",
    // HTTP/1.1 alone costs least; HTTP/2 is offered to those who insist on it.
    ALPNProtocols: needs.h2 ? ["h2", "http/1.1"] : ["http/1.1"],
    secureContext: tlsContext({ caCertificates: scope.caCertificates, isLegacy: needs.isLegacy }),
    // The chain is verified nevertheless (authorizationError), but the connection lives on until its facts are read.
    rejectUnauthorized: false,
    // tlsFactsOf compares the certificate's names with the host, once per certificate.
    checkServerIdentity: () => undefined,
  });
  // node:tls would build the whole chain as objects for checkServerIdentity: a quarter of a handshake's CPU time.
  secured.getPeerCertificate = noCertificate;
  // node:tls reads the key info only to refuse weak Diffie-Hellman parameters. OpenSSL refuses these itself, unless
  // the check allows old protocols.
  if (!needs.isLegacy) secured.getEphemeralKeyInfo = noKeyInfo;
  try {
    await handshake(secured, scope.signal);
  } catch (error) {
    secured.destroy();
    throw error;
  } finally {
    scope.clock.leave();
  }
  // Its type says Error, but node:tls stores the code of one.
  const chainError = secured.authorizationError ? String(secured.authorizationError) : undefined;
  const facts = tlsFactsOf(secured, host, chainError);
  const trustError = facts ? facts.trustError : (chainError ?? "NO_CERTIFICATE");
  if (trustError !== undefined) {
    scope.tls = facts;
    secured.destroy();
    throw new TargetFailure({
      status: "error",
      category: "tls",
      message: trustMessage(url.host, trustError, facts),
    });
  }
  scope.tls ??= facts;
  const isH2 = secured.alpnProtocol === "h2";
  rememberTlsNeeds(url.host, { isH2, protocol: secured.getProtocol() });
  return { socket: secured, protocol: isH2 ? "h2" : "http/1.1", tls: facts };
}

/** Returns an empty object in the place of a certificate: node:tls reads properties of it, so undefined would throw. */
function noCertificate(): tls.DetailedPeerCertificate {
  return {} as tls.DetailedPeerCertificate;
}

function noKeyInfo(): object {
  return {};
}

function handshake(socket: tls.TLSSocket, signal: StopSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: unknown) => {
      socket.removeListener("secureConnect", onSecure);
      socket.removeListener("error", settle);
      socket.removeListener("close", onClose);
      signal.removeEventListener("abort", onAbort);
      // Later errors say nothing new. After a success, the next listener is added only a few ticks later, and an
      // "error" event without any listener would end the process.
      socket.on("error", () => {});
      if (error === undefined) resolve();
      else reject(error);
    };
    const onSecure = () => settle();
    const onAbort = () => settle(signal.reason);
    const onClose = () => settle(Object.assign(new Error("closed"), { code: "ECONNRESET" }));
    socket.once("secureConnect", onSecure);
    socket.once("error", settle);
    socket.once("close", onClose);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
