/**
 * The proxy through which all traffic of a browser leaves: CONNECT for https and WebSockets, absolute-form requests
 * for http. It listens on a Unix socket in a folder of its own. It serves one run at a time, and nothing between two
 * runs.
 */
import { once } from "node:events";
import http from "node:http";
import type { Duplex } from "node:stream";
import { LimitedTunnels } from "./limited-tunnels.ts";
import { passOn, SERVER_OPTIONS } from "./pass-on.ts";
import type { RunTraffic } from "./run-traffic.ts";
import { StandIn } from "./stand-in.ts";
import { ESTABLISHED, openTunnel, openTunnelAsClient } from "./tunnel.ts";

/** Connections to one proxy at a time. A browser opens far fewer; a script may try as many as it likes. */
const CONNECTIONS_MAX = 512;

/** One proxy for one lane of a driver. It refuses all requests between two runs. */
export class EgressProxy {
  readonly #server: http.Server;
  readonly #browserSide = new Set<Duplex>();
  readonly #standIn = new StandIn();
  #traffic: RunTraffic | undefined;
  /** Made for the first run whose requests are looked at. */
  #limitedTunnels: LimitedTunnels | undefined;

  private constructor() {
    this.#server = http.createServer(SERVER_OPTIONS);
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
    this.#limitedTunnels?.close();
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
    if (traffic.limits) {
      browserSide.write(ESTABLISHED);
      this.#limitedTunnels ??= new LimitedTunnels(this.#standIn, () => this.#traffic);
      await this.#limitedTunnels.accept(browserSide, { authority: url.host, head });
    } else if (traffic.hasOwnCertificates) {
      await openTunnelAsClient(traffic, { browserSide, url, head }, this.#standIn);
    } else await openTunnel(traffic, { browserSide, url, head });
  }

  async #forward(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const traffic = this.#traffic;
    const url = URL.canParse(request.url ?? "") ? new URL(request.url as string) : undefined;
    if (!traffic?.mayConnect || url?.protocol !== "http:") {
      response.destroy();
      return;
    }
    await passOn({ request, response }, { traffic, url });
  }
}

function parseAuthority(authority: string): URL | undefined {
  const text = `https://${authority}`;
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.pathname === "/" && url.username === "" && url.search === "" ? url : undefined;
}
