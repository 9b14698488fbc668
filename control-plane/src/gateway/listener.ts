/**
 * The listener for runners: HTTP/2, cleartext or TLS. It finds dead connections by pings of its own, since neither end
 * notices a cut network. At shutdown it destroys open connections, since a close alone would wait for them for ever.
 */

import { readFileSync } from "node:fs";
import http2 from "node:http2";
import net, { type AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { reachableUrl } from "../platform/reachable-url.ts";
import type { ConnectionGuard } from "./connection-guard.ts";

/** Address, TLS and handler of the listener. Times in ms; their defaults fit production. */
export interface ListenerOptions {
  host: string;
  port: number;
  /** Paths of PEM files; undefined: cleartext HTTP/2 with prior knowledge. */
  tls: { certFile: string; keyFile: string } | undefined;
  handler: (request: http2.Http2ServerRequest, response: http2.Http2ServerResponse) => void;
  /** Bounds the connections. The listener closes it. */
  guard: ConnectionGuard;
  pingIntervalMs?: number;
  pingTimeoutMs?: number;
  closeTimeoutMs?: number;
}

/** A listener that accepts connections. */
export interface Listener {
  /** The URL by which this machine reaches it. */
  url: string;
  /** Refuses new connections; open ones stay. */
  refuse(): void;
  /** Ends every connection: at once where all streams have ended, else after a moment. */
  close(): Promise<void>;
}

const PING_INTERVAL_MS = 2_000;
/** A peer that leaves pings unanswered for this long counts as gone. */
const PING_TIMEOUT_MS = 6_000;
const CLOSE_TIMEOUT_MS = 1_000;
const HANDSHAKE_TIMEOUT_MS = 10_000;

/** Bounds that Node keeps by itself: agents send a dozen short headers and valid frames. */
const PROTOCOL_LIMITS = {
  settings: { maxConcurrentStreams: 100, maxHeaderListSize: 16 * 1024 },
  maxHeaderListPairs: 64,
  maxOutstandingPings: 10,
  maxSettings: 32,
  maxSessionInvalidFrames: 10,
  maxSessionRejectedStreams: 10,
};

/**
 * Binds the address and serves connections.
 * @throws the system's error, such as EADDRINUSE, or ENOENT for a certificate file that does not exist
 */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const { tls, handler, guard } = options;
  const server = tls
    ? http2.createSecureServer(
        {
          cert: readFileSync(tls.certFile),
          key: readFileSync(tls.keyFile),
          handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
          ...PROTOCOL_LIMITS,
        },
        handler,
      )
    : http2.createServer(PROTOCOL_LIMITS, handler);
  // Sockets pass the guard before TLS or HTTP/2 spend anything on them.
  const front = net.createServer((socket) => {
    if (guard.admit(socket)) server.emit("connection", socket);
  });
  const sessions = new Set<http2.ServerHttp2Session>();
  server.on("session", (session: http2.ServerHttp2Session) => {
    guard.watch(session);
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    session.on("error", () => session.destroy());
    watchByPing(
      session,
      options.pingIntervalMs ?? PING_INTERVAL_MS,
      options.pingTimeoutMs ?? PING_TIMEOUT_MS,
    );
  });
  await new Promise<void>((resolve, reject) => {
    front.once("error", reject);
    front.listen(options.port, options.host, resolve);
  });
  const { port, address } = front.address() as AddressInfo;
  const closed = new Promise<void>((resolve) => front.once("close", resolve));
  return {
    url: reachableUrl(address, port, tls ? "https" : "http"),
    refuse: () => void front.close(),
    close: async () => {
      if (front.listening) front.close();
      for (const session of sessions) session.close();
      // Ended streams still write their last messages; a stream that never ends would keep its connection for ever.
      await Promise.race([
        closed,
        sleep(options.closeTimeoutMs ?? CLOSE_TIMEOUT_MS, undefined, { ref: false }),
      ]);
      for (const session of sessions) session.destroy();
      guard.close();
      await closed;
    },
  };
}

/**
 * Destroys the session once no ping was answered for the timeout. It counts intervals, not time: after a hold of this process
 * the answers of healthy peers wait unread, and the next interval comes only after they were read.
 */
function watchByPing(session: http2.ServerHttp2Session, intervalMs: number, timeoutMs: number): void {
  const unansweredMax = Math.ceil(timeoutMs / intervalMs);
  let unanswered = 0;
  const timer = setInterval(() => {
    // A ping between destroy() and the close event would throw.
    if (session.destroyed) return;
    if (unanswered > unansweredMax) {
      session.destroy();
      return;
    }
    unanswered++;
    // ping() returns false when too many pings are unanswered already; the limit above then applies.
    session.ping((error) => {
      if (!error) unanswered = 0;
    });
  }, intervalMs);
  session.once("close", () => clearInterval(timer));
}
