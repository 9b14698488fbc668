/** Carries out one HTTP/1.1 exchange over an open connection, which is closed afterwards. */
import http from "node:http";
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
  const { socket } = connection;
  clock.enter("ttfb");
  return new Promise<HttpResponse>((resolve, reject) => {
    const client = http.request({
      createConnection: () => socket,
      method: request.method,
      path: request.url.pathname + request.url.search,
      headers: headerList(request),
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

    client.on("socket", ({ destroyed }) => {
      if (destroyed) fail(exchangeFailure({ code: "ECONNRESET" }, request, response));
    });
    client.on("error", (error) => fail(exchangeFailure(error, request, response)));
    client.on("response", (incoming) => {
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
      incoming.on("error", (error) => fail(exchangeFailure(error, request, response)));
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

/** Returns the request's headers as a flat list, which Node sends without checking or changing them. */
export function headerList(request: HttpRequest, connection: "close" | "keep-alive" = "close"): string[] {
  const list = ["Host", request.host ?? request.url.host];
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
  response: HttpResponse | undefined,
): TargetFailure | RunnerFailure {
  const code = codeOf(error);
  const fault = runnerFaultOf([code]);
  if (fault)
    return new RunnerFailure(fault, `the connection to ${request.url.host} broke: ${code}`, { cause: error });
  const host = request.url.host;
  const make = (category: "connect" | "protocol", message: string) =>
    new HttpFailure(
      { status: "error", category, message, isNetworkError: category === "connect", response },
      { cause: error },
    );
  if (code === "HPE_HEADER_OVERFLOW")
    return make("protocol", `${host} sent more than ${HEADER_BYTES_MAX} bytes of headers`);
  if (code?.startsWith("HPE_"))
    return make("protocol", `${host} did not answer with valid HTTP: ${(error as Error).message} (${code})`);
  if (code === "ECONNRESET" || code === "EPIPE" || code === "ECONNABORTED")
    return response
      ? make(
          "connect",
          `${host} closed the connection after ${response.wireBytes} bytes of the body, before its end`,
        )
      : make("connect", `${host} closed the connection without answering (${code})`);
  return make("connect", `the connection to ${host} broke: ${(error as Error).message}`);
}
