/**
 * The sites that are watched: ports 80 and 443 of 127.0.0.1, for every name. What is broken is set before a run; between runs
 * everything is well again.
 */
import http from "node:http";
import https from "node:https";
import net, { type Socket } from "node:net";
import { setTimeout as sleepMs } from "node:timers/promises";
import tls from "node:tls";
import type { Authority, KeyPair } from "../../../probes/test-support/certificates.ts";

/** How the sites behave. */
export interface SiteMode {
  /** False: nothing listens on either port. */
  isListening: boolean;
  /** Handles connections instead of any HTTP or TLS. */
  raw: ((socket: Socket) => void) | undefined;
  certificate: KeyPair;
  handshakeDelayMs: number;
  respond: http.RequestListener;
}

/** The running sites. */
export interface Sites {
  /** Well and fast. */
  readonly wellMode: SiteMode;
  /** Makes the sites behave so from the next connection on. */
  set(mode: SiteMode): Promise<void>;
  close(): Promise<void>;
}

/** Starts the sites, with a certificate of this authority. */
export async function startSites(authority: Authority): Promise<Sites> {
  const certificate = await authority.issue({ names: ["shop.example", "*.example"], validToDays: 90 });
  const wellMode: SiteMode = {
    isListening: true,
    raw: undefined,
    certificate,
    handshakeDelayMs: 0,
    respond: respondWell,
  };
  let mode = wellMode;
  const handle: http.RequestListener = (request, response) => mode.respond(request, response);
  const plain = http.createServer(handle);
  const secure = https.createServer(
    {
      SNICallback: async (_name, done) => {
        await sleepMs(mode.handshakeDelayMs);
        done(null, tls.createSecureContext(mode.certificate));
      },
    },
    handle,
  );
  secure.on("tlsClientError", () => {});
  const sockets = new Set<Socket>();
  const frontOf = (server: http.Server) =>
    net.createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => sockets.delete(socket));
      if (mode.raw) mode.raw(socket);
      else server.emit("connection", socket);
    });
  const fronts = [
    { front: frontOf(plain), port: 80 },
    { front: frontOf(secure), port: 443 },
  ];
  const listen = async (isListening: boolean) => {
    for (const { front, port } of fronts) {
      if (front.listening === isListening) continue;
      if (isListening) await new Promise<void>((resolve) => front.listen(port, "127.0.0.1", resolve));
      else await new Promise((resolve) => front.close(resolve));
    }
  };
  await listen(true);
  const end = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    wellMode,
    async set(next) {
      end();
      mode = next;
      await listen(next.isListening);
    },
    async close() {
      end();
      await listen(false);
    },
  };
}

/** The order list, as the API of the shop answers it. */
export const ORDERS = { status: "ok", orders: { open: 12, newest: { id: 4711, total: "19.90" } } };

/** The page of the shop: a script of another origin, one of its own, and a form to sign in by. */
const PAGE = `<!doctype html><html><head><title>Shop</title><script src="http://cdn.example/widget.js"></script></head>
<body><h1>Welcome to the shop</h1><form action="/login"><input name="user" aria-label="User"><input name="password" type="password"
aria-label="Password"><button id="sign-in">Sign in</button></form><div id="list"></div>
<script src="/shop.js"></script></body></html>`;
const SHOP_SCRIPT = `document.getElementById("list").textContent = "3 articles";`;

/** Answers as the sites do when all is well. */
export const respondWell: http.RequestListener = (request, response) => {
  const { pathname } = new URL(request.url ?? "/", "http://site");
  if (pathname === "/widget.js") return void send(response, "text/javascript", "window.widget = true;");
  if (pathname === "/shop.js") return void send(response, "text/javascript", SHOP_SCRIPT);
  if (pathname === "/login") return void send(response, "text/html", "<h1>Your orders</h1>");
  if (pathname === "/api/orders") return void send(response, "application/json", JSON.stringify(ORDERS));
  if (pathname === "/page") return void send(response, "text/html", PAGE);
  send(response, "text/html", "<h1>Welcome to the shop</h1>");
};

/** Sends a whole answer. */
export function send(
  response: http.ServerResponse,
  contentType: string,
  body: string,
  status = 200,
  headers: http.OutgoingHttpHeaders = {},
): void {
  response.writeHead(status, { "content-type": contentType, ...headers }).end(body);
}
