/**
 * Remembers the servers that need more than the cheapest offer: HTTP/2, or a TLS version older than 1.2. So only the
 * first run pays for a handshake that fails. A server is forgotten as soon as it no longer needs either.
 */

/** The offers that a server needs: HTTP/2 (`h2`), or a TLS version older than 1.2 (`isLegacy`). */
export interface TlsNeeds {
  h2: boolean;
  isLegacy: boolean;
}

const SERVERS_MAX = 1_000;
const OLD_PROTOCOLS = new Set(["SSLv3", "TLSv1", "TLSv1.1"]);

const needsByServer = new Map<string, TlsNeeds>();

/**
 * Returns the needs of a server.
 * @param server host and port
 */
export function tlsNeedsOf(server: string): TlsNeeds {
  return { h2: false, isLegacy: false, ...needsByServer.get(server) };
}

/** Remembers the protocols that a handshake agreed upon. Call it after every handshake. */
export function rememberTlsNeeds(server: string, agreed: { isH2: boolean; protocol: string | null }): void {
  const needs = { h2: agreed.isH2, isLegacy: OLD_PROTOCOLS.has(agreed.protocol ?? "") };
  if (!needs.h2 && !needs.isLegacy) {
    needsByServer.delete(server);
    return;
  }
  if (needsByServer.size >= SERVERS_MAX) needsByServer.delete(needsByServer.keys().next().value as string);
  needsByServer.set(server, needs);
}
