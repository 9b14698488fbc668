/**
 * The proxy through which all traffic of a browser leaves: CONNECT for https and WebSockets, absolute-form requests
 * for http. It listens on a Unix socket in a folder of its own. It serves one run at a time, and nothing between two
 * runs.
 */
import { once } from "node:events";
import http from "node:http";
import type { Duplex } from "node:stream";
import { connectFor } from "./connect.ts";
import type { RunTraffic } from "./run-traffic.ts";

/** Headers that concern one connection only (RFC 9110, section 7.6.1), and the proxy's own. */
const HOP_BY_HOP = new Set([
  "connection",
  "proxy-connection",
  "proxy-authorization",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Connections to one proxy at a time. A browser opens far fewer; a script may try as many as it likes. */
const CONNECTIONS_MAX = 512;
/** Time in which a connection must have sent a whole head of a request, first or next. */
const HEAD_LIMIT_MS = 30_000;
/** How often connections are compared with that. */
const HEAD_CHECK_INTERVAL_MS = 5_000;

/** One proxy for one lane of a driver. It refuses all requests between two runs. */
export class EgressProxy {
  readonly #server: http.Server;
  readonly #browserSide = new Set<Duplex>();
  #traffic: RunTraffic | undefined;

  private constructor() {
    this.#server = http.createServer({
      // Uploads may take as long as the run.
      requestTimeout: 0,
      headersTimeout: HEAD_LIMIT_MS,
      keepAliveTimeout: HEAD_LIMIT_MS,
      connectionsCheckingInterval: HEAD_CHECK_INTERVAL_MS,
    });
    this.#server.maxConnections = CONNECTIONS_MAX;
    this.#server.on("connection", (socket: Duplex) => {
      this.#browserSide.add(socket);
      socket.once("close", () => this.#browserSide.delete(socket));
      socket.on("error", () => socket.destroy());
      if (!this.#traffic?.mayConnect) socket.destroy();
    });
    this.#server.on("connect", (request, socket: Duplex, head: Buffer) => {
      void this.#tunnel(request, socket, head).catch(() => socket.destroy());
    });
    this.#server.on("request", (request, response) => {
      void this.#forward(request, response).catch(() => response.destroy());
    });
    this.#server.on("clientError", (_error, socket: Duplex) => socket.destroy());
  }

  static async listen(socketPath: string): Promise<EgressProxy> {
    const proxy = new EgressProxy();
    proxy.#server.listen(socketPath);
    await once(proxy.#server, "listening");
    return proxy;
  }

  /**
   * Opens the proxy for a run.
   * @throws Error when another run still has it
   */
  open(traffic: RunTraffic): void {
    if (this.#traffic) throw new Error("this proxy is another run's");
    this.#traffic = traffic;
  }

  /** Ends the run's traffic. Connections that come from now on are refused. */
  release(): void {
    this.#traffic?.close();
    this.#traffic = undefined;
    for (const socket of this.#browserSide) socket.destroy();
  }

  close(): void {
    this.release();
    this.#server.close();
  }

  async #tunnel(request: http.IncomingMessage, browserSide: Duplex, head: Buffer): Promise<void> {
    const traffic = this.#traffic;
    const url = parseAuthority(request.url ?? "");
    if (!traffic?.mayConnect || !url) {
      browserSide.destroy();
      return;
    }
    traffic.watch(browserSide);
    let target: Duplex;
    try {
      target = await connectFor(traffic, url);
    } catch {
      browserSide.end("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
      return;
    }
    traffic.watch(target);
    browserSide.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    if (head.length > 0) target.write(head);
    for (const [from, to] of [
      [browserSide, target],
      [target, browserSide],
    ] as const) {
      from.on("data", (chunk: Buffer) => traffic.count(chunk.length));
      from.on("close", () => to.destroy());
      from.pipe(to);
    }
  }

  async #forward(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const traffic = this.#traffic;
    const url = URL.canParse(request.url ?? "") ? new URL(request.url as string) : undefined;
    if (!traffic?.mayConnect || url?.protocol !== "http:") {
      response.destroy();
      return;
    }
    // A failure must not look like an answer of the target, so the browser sees the connection end.
    const target = await connectFor(traffic, url);
    traffic.watch(target);
    const onward = http.request({
      method: request.method ?? "GET",
      path: `${url.pathname}${url.search}`,
      headers: endToEnd(request.rawHeaders),
      createConnection: () => target,
      setHost: false,
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => target.destroy());
    request.on("data", (chunk: Buffer) => traffic.count(chunk.length));
    request.pipe(onward);
    onward.on("response", (answer) => {
      answer.on("error", () => response.destroy());
      answer.on("data", (chunk: Buffer) => traffic.count(chunk.length));
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.rawHeaders));
      answer.pipe(response);
    });
  }
}

function parseAuthority(authority: string): URL | undefined {
  const text = `https://${authority}`;
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.pathname === "/" && url.username === "" && url.search === "" ? url : undefined;
}

/**
 * Returns the headers that are passed on, and `connection: close`, since each request has a connection of its own.
 */
function endToEnd(raw: readonly string[]): string[] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) pairs.push([raw[at] as string, raw[at + 1] as string]);
  const named = pairs
    .filter(([name]) => name.toLowerCase() === "connection")
    .flatMap(([, value]) => value.toLowerCase().split(","))
    .map((name) => name.trim());
  const dropped = new Set([...HOP_BY_HOP, ...named]);
  const kept = pairs.filter(([name]) => !dropped.has(name.toLowerCase()));
  return [...kept.flat(), "Connection", "close"];
}
