/** Opens the connection of one request: lookup, TCP, TLS. Always a new one, never from a pool. */
import type net from "node:net";
import type { TlsFacts } from "@svc/contract";
import { openToProxy } from "../connection/proxy.ts";
import { openTrusted, type TlsWishes } from "../connection/secure.ts";
import { openSocket } from "../connection/way.ts";
import type { HttpProxy } from "../run/connection-settings.ts";
import type { RunScope } from "../run/run-scope.ts";

/** An open connection to a target, with the protocol that was agreed on. `tls` is undefined over plain http. */
export interface Connection {
  socket: net.Socket;
  protocol: "http/1.1" | "h2";
  tls: TlsFacts | undefined;
  /** The proxy at the other end, which passes the request on; undefined: the target itself, or a tunnel to it. */
  forwarder: HttpProxy | undefined;
}

/** How TLS is spoken other than by most runs. */
type TlsManner = Pick<TlsWishes, "prefersH2" | "isModernOnly">;

/**
 * Opens a connection to a URL's host.
 * @throws TargetFailure, RunnerFailure, or the signal's reason
 */
export async function openConnection(url: URL, scope: RunScope, manner: TlsManner = {}): Promise<Connection> {
  if (url.protocol === "http:") {
    const forwarder = scope.connection?.proxy;
    const socket = forwarder ? await openToProxy(url, forwarder, scope) : await openSocket(url, scope);
    return { socket, protocol: "http/1.1", tls: undefined, forwarder };
  }
  const { socket, facts } = await openTrusted(url, { ...wishesFor(url, scope), ...manner }, scope);
  const protocol = socket.alpnProtocol === "h2" ? "h2" : "http/1.1";
  return { socket, protocol, tls: facts, forwarder: undefined };
}

function wishesFor({ hostname }: URL, { caCertificates, connection }: RunScope): TlsWishes {
  if (!connection) return { caCertificates, offersHttp: true };
  const { ownAuthorities, trustsPublicToo, clientCertificate, clientKey, clientHosts } = connection;
  const isShown = clientHosts.has(hostname);
  return {
    caCertificates,
    offersHttp: true,
    ownAuthorities,
    trustsPublicToo,
    ...(isShown ? { clientCertificate, clientKey } : {}),
  };
}
