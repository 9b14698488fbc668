/**
 * What a server was found to need beyond the cheapest offer: HTTP/2, or a TLS version older than 1.2. Remembered, so that only the
 * first run pays for a handshake that fails. Forgotten as soon as the server no longer needs it.
 */

export interface TlsNeeds {
  h2: boolean;
  isLegacy: boolean;
}

const SERVERS_MAX = 1_000;
const OLD_PROTOCOLS = new Set(["SSLv3", "TLSv1", "TLSv1.1"]);

const needsByServer = new Map<string, TlsNeeds>();

/** @param server host and port */
export function tlsNeedsOf(server: string): TlsNeeds {
  return { h2: false, isLegacy: false, ...needsByServer.get(server) };
}

/** Called after every handshake, with what was agreed upon. */
export function rememberTlsNeeds(server: string, agreed: { isH2: boolean; protocol: string | null }): void {
  const needs = { h2: agreed.isH2, isLegacy: OLD_PROTOCOLS.has(agreed.protocol ?? "") };
  if (!needs.h2 && !needs.isLegacy) {
    needsByServer.delete(server);
    return;
  }
  if (needsByServer.size >= SERVERS_MAX) needsByServer.delete(needsByServer.keys().next().value as string);
  needsByServer.set(server, needs);
}
