/** Tunnels of a run: what a browser sends goes to the target, and the answers back. */
import { once } from "node:events";
import type { Duplex } from "node:stream";
import type tls from "node:tls";
import { describeTlsError } from "../../connection/tls-errors.ts";
import type { Connection } from "../../http/connection.ts";
import { codeOf } from "../../run/failures.ts";
import { authorityOf, connectAsClientFor, connectFor } from "./connect.ts";
import type { RunTraffic } from "./run-traffic.ts";
import { openingOf, type StandIn } from "./stand-in.ts";

/** A tunnel that a browser asked for. */
export interface TunnelRequest {
  browserSide: Duplex;
  /** Its target, as an https URL with host and port. */
  url: URL;
  /** Bytes that came with the request for the tunnel. */
  head: Buffer;
}

/** Answer to a request for a tunnel that is there. */
export const ESTABLISHED = "HTTP/1.1 200 Connection Established\r\n\r\n";

/** Opens a tunnel in which browser and target speak with each other alone. Answers 502 when the target can't be reached. */
export async function openTunnel(
  traffic: RunTraffic,
  { browserSide, url, head }: TunnelRequest,
): Promise<void> {
  let target: Duplex;
  try {
    target = await connectFor(traffic, url);
  } catch {
    browserSide.end("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    return;
  }
  traffic.watch(target);
  browserSide.write(ESTABLISHED);
  if (head.length > 0) browserSide.unshift(head);
  join(traffic, browserSide, target);
}

/**
 * Opens a tunnel in which the proxy speaks TLS with the target, by the check's own certificates, and with the browser by that
 * of its stand-in. Application protocols pass through as they are.
 */
export async function openTunnelAsClient(
  traffic: RunTraffic,
  { browserSide, url, head }: TunnelRequest,
  standIn: StandIn,
): Promise<void> {
  browserSide.write(ESTABLISHED);
  if (head.length > 0) browserSide.unshift(head);
  const opening = await openingOf(browserSide);
  if (opening === undefined) return;
  try {
    if (opening === "plain") {
      const target = await connectFor(traffic, url);
      traffic.watch(target);
      join(traffic, browserSide, target);
    } else await joinSecured(traffic, { browserSide, url }, standIn);
  } catch {
    // Why is noted with the run; a failure must not look like an answer of the target.
    browserSide.destroy();
  }
}

/** Makes both handshakes, so that browser and target speak the same application protocol, and joins them. */
async function joinSecured(
  traffic: RunTraffic,
  { browserSide, url }: Pick<TunnelRequest, "browserSide" | "url">,
  standIn: StandIn,
): Promise<void> {
  const first = await openAsClient(traffic, url, { prefersH2: true });
  const secured = await standIn.secure(
    browserSide,
    first.protocol === "h2" ? ["h2", "http/1.1"] : ["http/1.1"],
  );
  if (first.protocol === "h2" && !(await speaksH2(secured))) {
    first.socket.destroy();
    const second = await openAsClient(traffic, url, { prefersH2: false });
    join(traffic, secured, second.socket);
  } else join(traffic, secured, first.socket);
}

/** Resolves, after its handshake, with whether a browser chose HTTP/2: for a WebSocket it offers HTTP/1.1 alone. */
async function speaksH2(secured: tls.TLSSocket): Promise<boolean> {
  await once(secured, "secure");
  return secured.alpnProtocol === "h2";
}

async function openAsClient(
  traffic: RunTraffic,
  url: URL,
  manner: { prefersH2: boolean },
): Promise<Connection> {
  const connection = await connectAsClientFor(traffic, url, manner);
  traffic.watch(connection.socket);
  noteRefusal(traffic, url, connection.socket);
  return connection;
}

/** Notes that a target ends a connection by TLS: those that speak TLS 1.3 refuse a client's certificate only behind the handshake. */
function noteRefusal(traffic: RunTraffic, url: URL, target: Duplex): void {
  target.on("error", (error) => {
    if (!codeOf(error)?.startsWith("ERR_SSL_")) return;
    const message = `${url.host} ended the TLS connection: ${describeTlsError(error)}`;
    traffic.noteFailure(authorityOf(url), { kind: "target", category: "tls", message });
  });
}

/** Passes on all that comes from each side, and counts it, until one of them closes. */
function join(traffic: RunTraffic, browserSide: Duplex, target: Duplex): void {
  // One that closed meanwhile closes no more.
  if (browserSide.destroyed || target.destroyed) {
    browserSide.destroy();
    target.destroy();
    return;
  }
  for (const [from, to] of [
    [browserSide, target],
    [target, browserSide],
  ] as const) {
    from.on("data", (chunk: Buffer) => traffic.count(chunk.length));
    // After a clean end, what was sent before it is still on its way, and the pipe ends the other side behind it.
    from.on("close", () => {
      if (!from.readableEnded) to.destroy();
    });
    from.pipe(to);
  }
}
