/**
 * The runners' own listener: HTTP/2, cleartext or TLS. Dead connections are found by pings from this side too, since
 * neither end of a cut network is told; at shutdown open connections are destroyed, since closing waits for them for ever.
 */
import { readFileSync } from "node:fs";
import http2 from "node:http2";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { reachableUrl } from "../platform/reachable-url.ts";

export interface ListenerOptions {
  host: string;
  port: number;
  /** PEM files; absent: cleartext HTTP/2 with prior knowledge. */
  tls: { certFile: string; keyFile: string } | undefined;
  handler: (request: http2.Http2ServerRequest, response: http2.Http2ServerResponse) => void;
  pingIntervalMs?: number;
  pingTimeoutMs?: number;
  closeTimeoutMs?: number;
}

export interface Listener {
  /** The URL by which this machine reaches it. */
  url: string;
  /** Refuses new connections; those open live on. */
  refuse(): void;
  /** Ends every connection: those whose streams have ended at once, the others after a moment. */
  close(): Promise<void>;
}

const PING_INTERVAL_MS = 2_000;
/** A peer that leaves pings unanswered for this long is gone. */
const PING_TIMEOUT_MS = 6_000;
const CLOSE_TIMEOUT_MS = 1_000;

/** Binds. @throws the system's error, e.g. EADDRINUSE, or when a certificate file can't be read */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const { tls, handler } = options;
  const settings = { maxConcurrentStreams: 100 };
  const server = tls
    ? http2.createSecureServer(
        { cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile), settings },
        handler,
      )
    : http2.createServer({ settings }, handler);
  const sessions = new Set<http2.ServerHttp2Session>();
  server.on("session", (session: http2.ServerHttp2Session) => {
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
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port, address } = server.address() as AddressInfo;
  const closed = new Promise<void>((resolve) => server.once("close", resolve));
  return {
    url: reachableUrl(address, port, tls ? "https" : "http"),
    refuse: () => void server.close(),
    close: async () => {
      if (server.listening) server.close();
      for (const session of sessions) session.close();
      // Streams that have ended write their last words; one that never ends would keep its connection for ever.
      await Promise.race([
        closed,
        sleep(options.closeTimeoutMs ?? CLOSE_TIMEOUT_MS, undefined, { ref: false }),
      ]);
      for (const session of sessions) session.destroy();
      await closed;
    },
  };
}

function watchByPing(session: http2.ServerHttp2Session, intervalMs: number, timeoutMs: number): void {
  let answeredAtMs = performance.now();
  const timer = setInterval(() => {
    // Between destroy() and its close event a ping would throw.
    if (session.destroyed) return;
    if (performance.now() - answeredAtMs > timeoutMs) {
      session.destroy();
      return;
    }
    // False when too many pings are unanswered already: the time runs on.
    session.ping((error) => {
      if (!error) answeredAtMs = performance.now();
    });
  }, intervalMs);
  session.once("close", () => clearInterval(timer));
}
