/** Carries out one HTTP/2 exchange over an open connection, which is closed afterwards. */
import http2 from "node:http2";
import type { RunScope } from "../run/run-scope.ts";
import type { Connection } from "./connection.ts";
import type { Exchange } from "./exchange.ts";
import { ResponseHeaders } from "./headers.ts";
import { HttpFailure } from "./http-failure.ts";
import type { HttpRequest } from "./request.ts";
import { beginResponse, bodyReader, type HttpResponse } from "./response.ts";

/**
 * Sends a request over HTTP/2 and receives the response.
 * @throws TargetFailure, or the signal's reason
 */
export function exchangeHttp2(
  connection: Connection,
  { request, wantsBody }: Exchange,
  scope: RunScope,
): Promise<HttpResponse> {
  const { clock, signal } = scope;
  clock.enter("ttfb");
  return new Promise<HttpResponse>((resolve, reject) => {
    const session = http2.connect(request.url.origin, {
      createConnection: () => connection.socket,
      settings: { enablePush: false },
    });
    const stream = session.request(headerObject(request), { endStream: request.body === undefined });
    let response: HttpResponse | undefined;
    let isSettled = false;

    const settle = (act: () => void) => {
      if (isSettled) return;
      isSettled = true;
      signal.removeEventListener("abort", onAbort);
      clock.leave();
      act();
      session.destroy();
      connection.socket.destroy();
    };
    const fail = (error: unknown) => settle(() => reject(error));
    const broken = (what: string, cause?: unknown) =>
      fail(
        new HttpFailure(
          { status: "error", category: "protocol", message: `${request.url.host} ${what}`, response },
          { cause },
        ),
      );
    const onAbort = () => fail(signal.reason);

    // The listeners stay until the objects are gone: nothing else would catch an error that comes after settling.
    session.on("error", (error) => broken(`broke the HTTP/2 connection: ${error.message}`, error));
    connection.socket.on("error", (error) => broken(`broke the connection: ${error.message}`, error));
    stream.on("error", (error) => broken(`broke the HTTP/2 stream: ${error.message}`, error));
    stream.on("response", (headers, _flags, rawHeaders?: string[]) => {
      clock.enter("transfer");
      const received = beginResponse(request, {
        httpStatusCode: Number(headers[":status"] ?? 0),
        headers: new ResponseHeaders(withoutPseudoHeaders(rawHeaders ?? flattenHeaders(headers))),
        tls: connection.tls,
      });
      response = received;
      const succeed = () => settle(() => resolve(received));
      if (!wantsBody(received)) return succeed();
      stream.on("data", bodyReader(received, scope, { fail, cut: succeed }));
      stream.on("end", succeed);
    });
    stream.on("close", () =>
      broken(response ? "ended the response before its end" : "closed the connection without answering"),
    );
    signal.addEventListener("abort", onAbort, { once: true });
    if (request.body) stream.end(request.body);
  });
}

/** Connection-specific headers that HTTP/2 forbids (RFC 9113, 8.2.2), but for the framing headers, which no request has. */
const FORBIDDEN_HEADERS = new Set(["proxy-connection", "te", "http2-settings"]);

/** Returns the request's headers as HTTP/2 wants them: in lower case, with the pseudo-headers. */
export function headerObject(request: HttpRequest): http2.OutgoingHttpHeaders {
  const headers: http2.OutgoingHttpHeaders = {
    ":method": request.method,
    ":path": request.url.pathname + request.url.search,
    ":scheme": "https",
    ":authority": request.host ?? request.url.host,
  };
  for (const [name, value] of request.headers) {
    const lower = name.toLowerCase();
    if (!FORBIDDEN_HEADERS.has(lower)) headers[lower] = value;
  }
  if (request.body) headers["content-length"] = String(request.body.length);
  return headers;
}

/** Returns headers as a flat list: name, value, name, value, and so on. */
export function flattenHeaders(headers: http2.IncomingHttpHeaders): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value ?? ""]).flatMap((one) => [name, String(one)]),
  );
}

/** Returns a flat list of headers without those that HTTP/2 adds for itself, such as `:status`. */
export function withoutPseudoHeaders(raw: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < raw.length; index += 2)
    if (!(raw[index] as string).startsWith(":")) kept.push(raw[index] as string, raw[index + 1] as string);
  return kept;
}
