/** The TLS settings of a check that connects to a port. */
import type net from "node:net";
import type { StartTlsProtocol } from "@svc/contract";
import type { RunScope } from "../run/run-scope.ts";
import { openTrusted, type TlsWishes } from "./secure.ts";
import { startTls } from "./start-tls.ts";
import { openSocket } from "./way.ts";

/** The fields of a configuration that say how TLS is spoken. */
export interface OwnTls {
  startTls?: StartTlsProtocol | undefined;
  serverName?: string | undefined;
  caCertificates?: string | undefined;
  clientCertificate?: string | undefined;
  clientKey?: string | undefined;
}

/**
 * Returns the wishes for a connection by these settings.
 * @param offers application protocol (ALPN) that is offered; default: none
 */
export function wishesOf(config: OwnTls, scope: RunScope, offers?: string): TlsWishes {
  const { startTls: protocol, serverName, caCertificates, clientCertificate, clientKey } = config;
  return {
    offersHttp: false,
    offers,
    serverName,
    caCertificates: scope.caCertificates,
    ownAuthorities: caCertificates,
    clientCertificate,
    clientKey,
    ...(protocol && { beforeHandshake: (socket) => startTls(protocol, socket, scope) }),
  };
}

/**
 * Opens a connection to the scope's URL, with TLS or without, as the settings say.
 * @param offers application protocol (ALPN) that is offered with TLS; default: none
 * @throws TargetFailure, RunnerFailure, or the signal's reason
 */
export async function openPort(
  config: OwnTls & { tls: boolean },
  scope: RunScope,
  offers?: string,
): Promise<net.Socket> {
  if (!config.tls) return openSocket(scope.url, scope);
  return (await openTrusted(scope.url, wishesOf(config, scope, offers), scope)).socket;
}
