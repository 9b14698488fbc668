/**
 * The inside of tunnels of a run with limits: the requests in them are read one by one and held against the limits. The
 * proxy stands for the target towards the browser, with a certificate that says nothing, and asks the target itself for
 * its certificate. Nothing of the script that runs can go around it, as the sandbox has no other way out.
 */
import http from "node:http";
import type { Duplex } from "node:stream";
import { passOn, SERVER_OPTIONS } from "./pass-on.ts";
import type { RunTraffic } from "./run-traffic.ts";
import { openingOf, type StandIn } from "./stand-in.ts";

/** Reads the requests in the tunnels of one proxy. */
export class LimitedTunnels {
  readonly #server: http.Server;
  readonly #trafficNow: () => RunTraffic | undefined;
  /** Origins that tunnels lead to, as `https://host:port`. */
  readonly #origins = new WeakMap<Duplex, string>();
  readonly #standIn: StandIn;

  /** @param trafficNow returns the traffic of the run that the proxy serves; undefined between two runs */
  constructor(standIn: StandIn, trafficNow: () => RunTraffic | undefined) {
    this.#standIn = standIn;
    this.#trafficNow = trafficNow;
    this.#server = http.createServer(SERVER_OPTIONS);
    this.#server.on("request", (request, response) => {
      void this.#answer(request, response).catch(() => response.destroy());
    });
    this.#server.on("upgrade", (request, socket) => this.#refuseUpgrade(request, socket));
    this.#server.on("clientError", (_error, socket: Duplex) => socket.destroy());
  }

  /**
   * Takes over a tunnel.
   * @param tunnel.authority the target that the browser asked for, as `host` or `host:port`
   * @param tunnel.head bytes that came with the request for the tunnel
   */
  async accept(browserSide: Duplex, { authority, head }: { authority: string; head: Buffer }): Promise<void> {
    if (head.length > 0) browserSide.unshift(head);
    const opening = await openingOf(browserSide);
    if (opening === undefined) return;
    if (opening === "plain") {
      this.#admit(browserSide, `http://${authority}`);
      return;
    }
    this.#admit(await this.#standIn.secure(browserSide, ["http/1.1"]), `https://${authority}`);
  }

  /** Ends the server; its connections end with their runs. */
  close(): void {
    this.#server.close();
  }

  #admit(socket: Duplex, origin: string): void {
    this.#origins.set(socket, origin);
    this.#server.emit("connection", socket);
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const traffic = this.#trafficNow();
    const url = this.#urlOf(request);
    if (!traffic?.mayConnect || !url) {
      response.destroy();
      return;
    }
    await passOn({ request, response }, { traffic, url });
  }

  /** Refuses another protocol: what follows could not be read, and so not be judged. */
  #refuseUpgrade(request: http.IncomingMessage, socket: Duplex): void {
    const url = this.#urlOf(request);
    if (url) this.#trafficNow()?.refuse({ method: request.method ?? "GET", url, isUpgrade: true });
    socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
  }

  /** Returns the whole URL of a request; undefined for one that names another host than its tunnel leads to. */
  #urlOf({ socket, url: path = "", headers }: http.IncomingMessage): URL | undefined {
    const origin = this.#origins.get(socket);
    if (origin === undefined || !path.startsWith("/") || !URL.canParse(`${origin}${path}`)) return undefined;
    const url = new URL(`${origin}${path}`);
    const named = `${url.protocol}//${headers.host ?? ""}`;
    return URL.canParse(named) && new URL(named).host === url.host ? url : undefined;
  }
}
