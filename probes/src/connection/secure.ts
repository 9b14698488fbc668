/** The TLS handshake of a connection, and the judgement whether its server can be trusted. */
import type { X509Certificate } from "node:crypto";
import net from "node:net";
import tls from "node:tls";
import type { TlsFacts } from "@svc/contract";
import type { StopSignal } from "@svc/egress";
import { rethrowFailure, TargetFailure } from "../run/failures.ts";
import type { RunScope } from "../run/run-scope.ts";
import { type TlsCredentials, tlsContext } from "./tls-context.ts";
import { describeTlsError, isNoCommonAlpn, isProtocolTooOld, trustMessage } from "./tls-errors.ts";
import { tlsFactsOf } from "./tls-facts.ts";
import { rememberTlsNeeds, type TlsNeeds, tlsNeedsOf } from "./tls-needs.ts";
import { wayTo } from "./way.ts";

/** The wishes of whoever wants a TLS connection. */
export interface TlsWishes extends TlsCredentials {
  /** Name or address that the certificate has to be for. Default: the URL's host. */
  serverName?: string | undefined;
  /** True: HTTP is offered as the application protocol. Otherwise only `offers` is. */
  offersHttp: boolean;
  /** True: a server that speaks HTTP/2 and HTTP/1.1 speaks HTTP/2. Default: HTTP/1.1, which costs less. */
  prefersH2?: boolean | undefined;
  /** True: TLS 1.0 and 1.1 are not spoken, as in browsers. Default: they are with servers that know nothing newer. */
  isModernOnly?: boolean | undefined;
  /** Application protocol (ALPN) that is offered where HTTP is not. Default: none. */
  offers?: string | undefined;
  /**
   * Talks on the plain connection until the handshake may begin (STARTTLS).
   * @throws TargetFailure when the server does not go along
   */
  beforeHandshake?: (socket: net.Socket) => Promise<void>;
}

/** A connection after its handshake. */
export interface SecuredSocket {
  socket: tls.TLSSocket;
  /** The server's certificate, which knows those that were sent behind it; undefined when there is none. */
  certificate: X509Certificate | undefined;
  /** Undefined when the server showed no certificate. */
  facts: TlsFacts | undefined;
  /** Code of the reason why the server can't be trusted; undefined: it can. */
  trustError: string | undefined;
}

/**
 * Opens a connection to a URL's host whose server is trusted. `scope.tls` has its facts afterwards, those of a server that is not
 * trusted included.
 * @throws TargetFailure, RunnerFailure, or the signal's reason
 */
export async function openTrusted(url: URL, wishes: TlsWishes, scope: RunScope): Promise<SecuredSocket> {
  const secured = await openSecured(url, wishes, scope);
  const { socket, facts, trustError } = secured;
  if (trustError === undefined) {
    scope.tls ??= facts;
    return secured;
  }
  scope.tls = facts;
  socket.destroy();
  throw new TargetFailure({
    status: "error",
    category: "tls",
    message: trustMessage(url.host, trustError, facts),
  });
}

/**
 * Opens a connection to a URL's host and makes the handshake, with a server of whatever trust.
 * @throws TargetFailure, RunnerFailure, or the signal's reason
 */
export async function openSecured(url: URL, wishes: TlsWishes, scope: RunScope): Promise<SecuredSocket> {
  const open = await wayTo(url, scope);
  const server = rememberedAs(url, wishes, scope);
  const needs = tlsNeedsOf(server);
  for (;;) {
    const socket = await open();
    try {
      await wishes.beforeHandshake?.(socket);
      const secured = await secure(socket, { url, wishes, needs }, scope);
      const { alpnProtocol } = secured.socket;
      rememberTlsNeeds(server, { isH2: alpnProtocol === "h2", protocol: secured.socket.getProtocol() });
      return secured;
    } catch (error) {
      socket.destroy();
      if (scope.signal.aborted) throw scope.signal.reason;
      rethrowFailure(error);
      if (wishes.offersHttp && isNoCommonAlpn(error) && !needs.h2) needs.h2 = true;
      else if (isProtocolTooOld(error) && !needs.isLegacy && !wishes.isModernOnly) needs.isLegacy = true;
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
 * Returns the name under which a server's needs are remembered. One without HTTP says nothing about HTTP/2, and what a proxy leads to
 * says nothing about the server that others reach without it.
 */
function rememberedAs(
  url: URL,
  { offersHttp, prefersH2, isModernOnly }: TlsWishes,
  { connection }: RunScope,
): string {
  const offer = `${offersHttp ? "" : " without HTTP"}${prefersH2 ? " preferring HTTP/2" : ""}${isModernOnly ? " modern" : ""}`;
  return `${url.host}${offer}${connection?.proxy ? ` by ${connection.proxy.url.host}` : ""}`;
}

/** Makes the TLS handshake. Owns the socket on every path. */
async function secure(
  socket: net.Socket,
  { url, wishes, needs }: { url: URL; wishes: TlsWishes; needs: TlsNeeds },
  scope: RunScope,
): Promise<SecuredSocket> {
  // Neither SNI nor certificates have brackets or the final dot of a fully qualified name.
  const host = (wishes.serverName ?? url.hostname).replace(/^\[|\]$|\.$/g, "");
  const secureContext = tlsContext(wishes, needs.isLegacy);
  scope.clock.enter("tls");
  const secured = tls.connect({
    socket,
    host,
    servername: net.isIP(host) === 0 ? host : "",
    // HTTP/1.1 alone costs least; HTTP/2 is offered to those who insist on it.
    ...(wishes.offersHttp
      ? { ALPNProtocols: needs.h2 || wishes.prefersH2 ? ["h2", "http/1.1"] : ["http/1.1"] }
      : {}),
    ...(wishes.offers === undefined ? {} : { ALPNProtocols: [wishes.offers] }),
    secureContext,
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
  // Read once: node:tls hands out the chain by emptying it.
  const certificate = secured.getPeerX509Certificate();
  const facts = certificate && tlsFactsOf(secured, certificate, { host, chainError });
  return {
    socket: secured,
    certificate,
    facts,
    trustError: facts ? facts.trustError : (chainError ?? "NO_CERTIFICATE"),
  };
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
