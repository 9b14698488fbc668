/** Carries out one HTTP/1.1 exchange over an open connection, which is closed afterwards. */
import http from "node:http";
import { credentialsWanted } from "../connection/proxy.ts";
import { describeTlsError } from "../connection/tls-errors.ts";
import type { HttpProxy } from "../run/connection-settings.ts";
import { codeOf, RunnerFailure, runnerFaultOf, type TargetFailure } from "../run/failures.ts";
import type { RunScope } from "../run/run-scope.ts";
import type { Connection } from "./connection.ts";
import type { Exchange } from "./exchange.ts";
import { ResponseHeaders } from "./headers.ts";
import { HttpFailure } from "./http-failure.ts";
import type { HttpRequest } from "./request.ts";
import { beginResponse, bodyReader, type HttpResponse } from "./response.ts";

/** Larger response headers are refused. Browsers allow 256 KiB; most servers send at most 8 KiB. */
export const HEADER_BYTES_MAX = 64 * 1024;

/**
 * Sends a request over HTTP/1.1 and receives the response.
 * @throws TargetFailure, RunnerFailure, or the signal's reason
 */
export function exchangeHttp1(
  connection: Connection,
  { request, wantsBody }: Exchange,
  scope: RunScope,
): Promise<HttpResponse> {
  const { clock, signal } = scope;
  const { socket, forwarder } = connection;
  clock.enter("ttfb");
  return new Promise<HttpResponse>((resolve, reject) => {
    const client = http.request({
      createConnection: () => socket,
      method: request.method,
      path: requestTarget(request.url, forwarder),
      headers: headerList(request, "close", forwarder),
      maxHeaderSize: HEADER_BYTES_MAX,
    });
    let response: HttpResponse | undefined;

    const settle = () => {
      signal.removeEventListener("abort", onAbort);
      clock.leave();
    };
    const fail = (error: unknown) => {
      settle();
      client.on("error", ignore);
      socket.on("error", ignore);
      socket.destroy();
      reject(error);
    };
    const succeed = (complete: HttpResponse) => {
      settle();
      client.on("error", ignore);
      resolve(complete);
    };
    const onAbort = () => fail(signal.reason);
    const onError = (error: unknown) => fail(exchangeFailure(error, request, { response, forwarder }));

    client.on("socket", ({ destroyed }) => {
      if (destroyed) onError({ code: "ECONNRESET" });
    });
    client.on("error", onError);
    client.on("response", (incoming) => {
      if (forwarder && incoming.statusCode === 407) return fail(credentialsWanted(forwarder));
      clock.enter("transfer");
      const received = beginResponse(request, {
        httpStatusCode: incoming.statusCode ?? 0,
        headers: new ResponseHeaders(incoming.rawHeaders),
        tls: connection.tls,
      });
      response = received;
      if (!wantsBody(received)) {
        succeed(received);
        socket.destroy();
        return;
      }
      const cut = () => {
        incoming.removeAllListeners("data");
        incoming.on("error", ignore);
        succeed(received);
        socket.destroy();
      };
      incoming.on("data", bodyReader(received, scope, { fail, cut }));
      incoming.on("error", onError);
      incoming.on("end", () => succeed(received));
    });
    // A server that switches protocols unasked is not listened to any further.
    client.on("upgrade", () =>
      fail(
        new HttpFailure({
          status: "error",
          category: "protocol",
          message: `${request.url.host} answered 101 and switched protocols without being asked to`,
          response: undefined,
        }),
      ),
    );
    signal.addEventListener("abort", onAbort, { once: true });
    client.end(request.body);
  });
}

function ignore(): void {}

/** Returns what a request asks for: a path of the target, or, where a proxy passes the request on, the whole URL. */
export function requestTarget(url: URL, forwarder: HttpProxy | undefined): string {
  const path = url.pathname + url.search;
  return forwarder ? url.origin + path : path;
}

/** Returns the request's headers as a flat list, which Node sends without checking or changing them. */
export function headerList(
  request: HttpRequest,
  connection: "close" | "keep-alive",
  forwarder: HttpProxy | undefined,
): string[] {
  const list = ["Host", request.host ?? request.url.host];
  if (forwarder?.authorization !== undefined) list.push("Proxy-Authorization", forwarder.authorization);
  for (const [name, value] of request.headers) list.push(name, value);
  list.push("Connection", connection);
  if (request.body) list.push("Content-Length", String(request.body.length));
  else if (request.method === "POST" || request.method === "PUT" || request.method === "PATCH")
    list.push("Content-Length", "0");
  return list;
}

/** Returns the failure that an error in the middle of an exchange means. Nearly always the target caused it. */
export function exchangeFailure(
  error: unknown,
  request: HttpRequest,
  { response, forwarder }: { response?: HttpResponse | undefined; forwarder: HttpProxy | undefined },
): TargetFailure | RunnerFailure {
  const code = codeOf(error);
  const fault = runnerFaultOf([code]);
  const host = forwarder
    ? `the proxy ${forwarder.url.host}, asked for ${request.url.host},`
    : request.url.host;
  if (fault) return new RunnerFailure(fault, `the connection to ${host} broke: ${code}`, { cause: error });
  const make = (category: "connect" | "protocol" | "tls", message: string) =>
    new HttpFailure(
      { status: "error", category, message, isNetworkError: category === "connect", response },
      { cause: error },
    );
  if (code === "HPE_HEADER_OVERFLOW")
    return make("protocol", `${host} sent more than ${HEADER_BYTES_MAX} bytes of headers`);
  if (code?.startsWith("HPE_"))
    return make("protocol", `${host} did not answer with valid HTTP: ${(error as Error).message} (${code})`);
  // Servers that speak TLS 1.3 refuse a client's certificate, or the lack of one, only behind the handshake.
  if (code?.startsWith("ERR_SSL_"))
    return make("tls", `${host} ended the TLS connection: ${describeTlsError(error)}`);
  if (code === "ECONNRESET" || code === "EPIPE" || code === "ECONNABORTED")
    return response
      ? make(
          "connect",
          `${host} closed the connection after ${response.wireBytes} bytes of the body, before its end`,
        )
      : make("connect", `${host} closed the connection without answering (${code})`);
  return make("connect", `the connection to ${host} broke: ${(error as Error).message}`);
}
