/** The connection to one origin during a run. Opened like that of an HTTP check, and kept for the next request. */
import http from "node:http";
import http2 from "node:http2";
import type net from "node:net";
import type { Readable } from "node:stream";
import { credentialsWanted } from "../connection/proxy.ts";
import { openConnection } from "../http/connection.ts";
import { exchangeFailure, HEADER_BYTES_MAX, headerList, requestTarget } from "../http/exchange-http1.ts";
import { flattenHeaders, headerObject, withoutPseudoHeaders } from "../http/exchange-http2.ts";
import { ResponseHeaders } from "../http/headers.ts";
import type { HttpRequest } from "../http/request.ts";
import { codeOf, RunnerFailure, TargetFailure } from "../run/failures.ts";
import type { RunScope } from "../run/run-scope.ts";

/** The head of an answer. The body must be read or destroyed by the receiver. */
export interface Incoming {
  httpStatusCode: number;
  headers: ResponseHeaders;
  body: Readable;
}

/** An HTTP connection to one origin that carries one request after the other. */
export interface Channel {
  /** @throws TargetFailure, RunnerFailure, or the scope's reason to end */
  send(request: HttpRequest): Promise<Incoming>;
  /** Ends everything that is under way. Calling it twice is harmless. */
  close(): void;
}

/** @throws TargetFailure, RunnerFailure, or the scope's reason to end */
export async function openChannel(url: URL, scope: RunScope): Promise<Channel> {
  const { socket, protocol } = await openConnection(url, scope);
  return protocol === "h2" ? channelHttp2(url, socket) : channelHttp1(url, socket, scope);
}

function channelHttp1(url: URL, first: net.Socket, scope: RunScope): Channel {
  const forwarder = url.protocol === "http:" ? scope.connection?.proxy : undefined;
  const agent = new http.Agent({ keepAlive: true });
  let waiting: net.Socket | undefined = first;
  let isClosed = false;
  // A second connection is needed while an event stream occupies the first one.
  agent.createConnection = (_options, callback) => {
    const socket = waiting;
    waiting = undefined;
    if (socket && !socket.destroyed) return socket;
    openConnection(url, scope).then(
      (connection) => {
        if (isClosed) connection.socket.destroy();
        callback?.(null, connection.socket);
      },
      (error: Error) => callback?.(error, first),
    );
    return undefined; // the socket comes through the callback
  };
  const send = (request: HttpRequest) =>
    new Promise<Incoming>((resolve, reject) => {
      const client = http.request({
        agent,
        method: request.method,
        path: requestTarget(request.url, forwarder),
        headers: headerList(request, "keep-alive", forwarder),
        maxHeaderSize: HEADER_BYTES_MAX,
      });
      let hasAnswer = false;
      client.on("error", (error) => {
        if (hasAnswer) return; // the reader of the body learns of it
        // The server closed the connection while it was idle, as it may. The request never reached it, so it is sent
        // again.
        const wasIdle = client.reusedSocket && (codeOf(error) === "ECONNRESET" || codeOf(error) === "EPIPE");
        if (wasIdle && !isClosed && !scope.signal.aborted) send(request).then(resolve, reject);
        else if (error instanceof TargetFailure || error instanceof RunnerFailure) reject(error);
        else reject(exchangeFailure(error, request, { forwarder }));
      });
      client.on("response", (incoming) => {
        hasAnswer = true;
        if (forwarder && incoming.statusCode === 407) {
          incoming.destroy();
          reject(credentialsWanted(forwarder));
          return;
        }
        resolve({
          httpStatusCode: incoming.statusCode ?? 0,
          headers: new ResponseHeaders(incoming.rawHeaders),
          body: incoming,
        });
      });
      client.on("upgrade", (_response, socket) => {
        socket.destroy();
        reject(switchedProtocols(url));
      });
      client.end(request.body);
    });
  return {
    send,
    close() {
      isClosed = true;
      waiting?.destroy();
      agent.destroy();
    },
  };
}

function channelHttp2(url: URL, socket: net.Socket): Channel {
  const session = http2.connect(url.origin, {
    createConnection: () => socket,
    settings: { enablePush: false },
  });
  // The listeners stay until the objects are gone. A connection that breaks between two requests shows in the next
  // one.
  session.on("error", ignore);
  socket.on("error", ignore);
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        const broken = (what: string, cause?: unknown) =>
          reject(
            new TargetFailure(
              {
                status: "error",
                category: "connect",
                message: `${url.host} broke the HTTP/2 connection: ${what}`,
                isNetworkError: true,
              },
              { cause },
            ),
          );
        if (session.closed || session.destroyed) return broken("it is closed");
        const stream = session.request(headerObject(request), { endStream: request.body === undefined });
        stream.on("error", (error) => broken(error.message, error));
        stream.on("close", () => broken("closed without answering"));
        stream.on("response", (headers, _flags, rawHeaders?: string[]) =>
          resolve({
            httpStatusCode: Number(headers[":status"] ?? 0),
            headers: new ResponseHeaders(withoutPseudoHeaders(rawHeaders ?? flattenHeaders(headers))),
            body: stream,
          }),
        );
        if (request.body) stream.end(request.body);
      }),
    close() {
      session.destroy();
      socket.destroy();
    },
  };
}

function switchedProtocols(url: URL): TargetFailure {
  return new TargetFailure({
    status: "error",
    category: "protocol",
    message: `${url.host} answered 101 and switched protocols without being asked to`,
  });
}

function ignore(): void {}
