/**
 * Answers gRPC requests of runners over HTTP/2. A request passes in this order: path, method and content type; its
 * runner key; then its messages, each within the bounds of its method. Nothing of a body is read before the key was
 * accepted. What can't be read ends its own request and nothing else.
 */
import http2 from "node:http2";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createConnectRouter,
  createContextKey,
  createContextValues,
} from "@connectrpc/connect";
import { compressionGzip, universalResponseToNodeResponse } from "@connectrpc/connect-node";
import { SECOND_MS } from "@svc/contract";
import type { Logger } from "pino";
import type { RunnerKeyRow } from "../accounts/identity/credential-store.ts";
import type { ReadShare } from "./read-shares.ts";
import { boundedMessages, type MessageBounds } from "./request-messages.ts";
import { toConnectError } from "./rpc-errors.ts";
import type { RunnerGate } from "./runner-gate.ts";

/** Names the runner key of a request in its context. */
export const RUNNER_KEY = createContextKey<RunnerKeyRow | undefined>(undefined);

/** The methods, and the parts that let their requests in. */
export interface RpcHandlerParts {
  routes: (router: ConnectRouter) => void;
  /** Bounds of the messages, by path of the method. */
  bounds: ReadonlyMap<string, MessageBounds>;
  gate: RunnerGate;
  /** Returns the share of what the replica reads that is the key's. */
  shareOf: (key: RunnerKeyRow) => ReadShare;
  connections: RpcConnections;
  log: Logger;
}

/** The connections that requests come over, as far as requests tell something about them. */
interface RpcConnections {
  addressOf(session: http2.Http2Session | undefined): string;
  /** A request over the connection had a runner key. */
  accepted(session: http2.Http2Session | undefined): void;
  /** Bytes of a body were read. */
  countBody(session: http2.Http2Session | undefined, bytes: number): void;
}

/** Largest message that any method takes, bytes; the bounds of each method are narrower. */
const READ_BYTES_MAX = 4 * 1024 * 1024;
/** Time after the answer in which the rest of a request may still come. */
const REST_TIMEOUT_MS = SECOND_MS;
const CONTENT_TYPE = /^application\/grpc(\+proto)?(;|$)/i;

/** Returns a handler of requests. It never throws. */
export function createRpcHandler(
  parts: RpcHandlerParts,
): (request: http2.Http2ServerRequest, response: http2.Http2ServerResponse) => void {
  const router = createConnectRouter({
    grpc: true,
    grpcWeb: false,
    connect: false,
    readMaxBytes: READ_BYTES_MAX,
    // For answers only: agents ask for it, and compressed requests are refused before the library sees them.
    acceptCompression: [compressionGzip],
    binaryOptions: { readUnknownFields: false },
  });
  parts.routes(router);
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
  return (request, response) => {
    request.on("error", () => undefined);
    const path = request.url.split("?", 1)[0] ?? "";
    const [handler, bounds] = [handlers.get(path), parts.bounds.get(path)];
    const refusal = handler && bounds ? statusOfWrongRequest(request) : 404;
    if (!handler || !bounds || refusal) {
      endEarly(response, { ":status": refusal || 404 });
      return;
    }
    response.once("finish", () => setTimeout(() => stopReading(request), REST_TIMEOUT_MS).unref());
    const serve = async () => {
      const key = await authenticate(parts, request);
      if (request.stream.destroyed) return;
      const session = request.stream.session;
      if (bounds.durationMaxMs !== undefined) limitDuration(request, bounds.durationMaxMs);
      const body = boundedMessages({
        source: request,
        bounds,
        share: parts.shareOf(key),
        onPiece: (bytes) => parts.connections.countBody(session, bytes),
      });
      const values = createContextValues().set(RUNNER_KEY, key);
      const answer = await handler({ ...universalRequest(request, path), body, contextValues: values });
      await universalResponseToNodeResponse(answer, response);
    };
    serve().catch((error) => {
      const failure = toConnectError(error, parts.log);
      if (!response.headersSent) endEarly(response, headersOfError(failure));
      else if (failure.code !== Code.Aborted) parts.log.debug({ err: failure }, "a runner's request failed");
    });
  };
}

/** @throws DomainError as {@link RunnerGate.authenticate} does */
async function authenticate(
  { gate, connections }: RpcHandlerParts,
  request: http2.Http2ServerRequest,
): Promise<RunnerKeyRow> {
  const { session } = request.stream;
  const key = await gate.authenticate({
    authorization: request.headers.authorization,
    address: connections.addressOf(session),
  });
  connections.accepted(session);
  return key;
}

/** Returns the HTTP status that refuses a request that is no gRPC request; undefined when it is one. */
function statusOfWrongRequest({ method, headers }: http2.Http2ServerRequest): number | undefined {
  if (method !== "POST") return 405;
  return CONTENT_TYPE.test(headers["content-type"] ?? "") ? undefined : 415;
}

/**
 * Returns the request in the form that the library's handlers take. Its URL is not the sender's, as a URL can't be made
 * of every authority that HTTP/2 lets pass.
 */
function universalRequest(request: http2.Http2ServerRequest, path: string) {
  const header = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (!name.startsWith(":") && value !== undefined)
      for (const one of Array.isArray(value) ? value : [value]) header.append(name, one);
  const gone = new AbortController();
  request.once("close", () => gone.abort(new ConnectError("the agent has gone", Code.Canceled)));
  return {
    httpVersion: request.httpVersion,
    method: request.method,
    url: `http://runners${path}`,
    header,
    signal: gone.signal,
  };
}

/** Returns the headers of an answer that consists of an error only, as gRPC has it. */
function headersOfError(error: ConnectError): http2.OutgoingHttpHeaders {
  return {
    ":status": 200,
    "content-type": "application/grpc+proto",
    "grpc-status": String(error.code),
    "grpc-message": encodeURIComponent(error.rawMessage),
  };
}

/** Answers without a body, and reads nothing more of the request. */
function endEarly({ stream }: http2.Http2ServerResponse, headers: http2.OutgoingHttpHeaders): void {
  if (stream.destroyed || stream.headersSent) return;
  stream.respond(headers, { endStream: true });
  stream.close(http2.constants.NGHTTP2_NO_ERROR);
}

/** Ends a request that lasts longer, as when its sender doesn't read the answer. */
function limitDuration({ stream }: http2.Http2ServerRequest, maxMs: number): void {
  const timer = setTimeout(() => stream.close(http2.constants.NGHTTP2_CANCEL), maxMs).unref();
  stream.once("close", () => clearTimeout(timer));
}

/** Tells the sender of an answered request to send no more of it. */
function stopReading({ stream }: http2.Http2ServerRequest): void {
  if (!stream.destroyed) stream.close(http2.constants.NGHTTP2_NO_ERROR);
}
