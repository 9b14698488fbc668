/** A real HTTP proxy on loopback: tunnels by CONNECT, and requests of whole URLs, with credentials or without. */
import http from "node:http";
import net from "node:net";
import { listening } from "./servers.ts";

export interface TestProxy {
  /** `http://127.0.0.1:port` */
  url: string;
  /** What was asked for, such as `CONNECT 127.0.0.1:443` or `GET http://127.0.0.1/`. */
  asked: string[];
}

/**
 * Starts a proxy that ends when the test does.
 * @param options.credentials those that it asks for, as `user:password`; absent: none
 * @param options.hosts addresses by the names that it alone knows
 */
export async function httpProxy({
  credentials,
  hosts = {},
}: {
  credentials?: string;
  hosts?: Record<string, string>;
} = {}): Promise<TestProxy> {
  const asked: string[] = [];
  const wanted = credentials && `Basic ${Buffer.from(credentials).toString("base64")}`;
  const isRefused = ({ headers }: http.IncomingMessage) =>
    wanted !== undefined && headers["proxy-authorization"] !== wanted;
  const REFUSAL = "407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=x";
  const server = http.createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (isRefused(request)) {
      response.writeHead(407, { "proxy-authenticate": "Basic realm=x" }).end(JSON.stringify(request.headers));
      return;
    }
    const url = new URL(request.url ?? "");
    const { "proxy-authorization": _, ...headers } = request.headers;
    const onward = http.request(
      {
        host: hosts[url.hostname] ?? url.hostname,
        port: url.port,
        method: request.method,
        path: url.pathname + url.search,
        headers: { ...headers, via: "test" },
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.rawHeaders);
        answer.pipe(response);
      },
    );
    onward.on("error", () => response.writeHead(502).end());
    request.pipe(onward);
  });
  server.on("connect", (request: http.IncomingMessage, near: net.Socket, head: Buffer) => {
    asked.push(`CONNECT ${request.url}`);
    near.on("error", () => {});
    if (isRefused(request)) {
      near.end(`HTTP/1.1 ${REFUSAL}\r\n\r\n${JSON.stringify(request.headers)}`);
      return;
    }
    const { hostname, port } = new URL(`tcp://${request.url}`);
    const far = net.connect(Number(port), hosts[hostname] ?? hostname.replace(/^\[|\]$/g, ""));
    far.on("error", () => near.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
    far.once("connect", () => {
      near.write("HTTP/1.1 200 Connection established\r\n\r\n");
      far.write(head);
      near.pipe(far).pipe(near);
    });
    near.on("close", () => far.destroy());
  });
  return { url: `http://127.0.0.1:${await listening(server)}`, asked };
}
