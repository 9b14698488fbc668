/** Opens the connection of one request: lookup, TCP, TLS. Always a new one, never from a pool. */
import type net from "node:net";
import type { TlsFacts } from "@svc/contract";
import { openSocket } from "../connection/dial.ts";
import { openTrusted } from "../connection/secure.ts";
import type { RunScope } from "../run/run-scope.ts";

/** An open connection to a target, with the protocol that was agreed on. `tls` is undefined over plain http. */
export interface Connection {
  socket: net.Socket;
  protocol: "http/1.1" | "h2";
  tls: TlsFacts | undefined;
}

/**
 * Opens a connection to a URL's host.
 * @throws TargetFailure, RunnerFailure, or the signal's reason
 */
export async function openConnection(url: URL, scope: RunScope): Promise<Connection> {
  if (url.protocol === "http:")
    return { socket: await openSocket(url, scope), protocol: "http/1.1", tls: undefined };
  const { caCertificates } = scope;
  const { socket, facts } = await openTrusted(url, { caCertificates, offersHttp: true }, scope);
  return { socket, protocol: socket.alpnProtocol === "h2" ? "h2" : "http/1.1", tls: facts };
}
