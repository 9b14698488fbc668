/**
 * Sends OTLP over gRPC: one unary call per connection, through the egress policy. The wire format is implemented here,
 * since it is small (a length-prefixed message over HTTP/2, the status in the trailers) and gRPC's own clients open their
 * connections themselves.
 */
import { once } from "node:events";
import http2 from "node:http2";
import type net from "node:net";
import tls from "node:tls";
import { gunzipSync } from "node:zlib";
import { percentDecoded, type TelemetrySignal } from "@svc/contract";
import type { Egress } from "@svc/egress";
import { encode, partialSuccessOf } from "./encode.ts";
import { ANSWER_BYTES_MAX, type Endpoint, type OtlpRequest, shownText } from "./endpoint.ts";
import { retryDelayOf } from "./grpc-status.ts";
import { grpcFailure, httpFailure, type SendOutcome } from "./outcome.ts";
import { USER_AGENT } from "./send-http.ts";

const METHODS: Record<TelemetrySignal, string> = {
  logs: "/opentelemetry.proto.collector.logs.v1.LogsService/Export",
  traces: "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
  metrics: "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export",
};

/**
 * Sends one request.
 * @throws EgressDenied, DialError, the socket's error, or the signal's reason
 */
export async function sendGrpc(
  egress: Egress,
  { endpoint, payload }: OtlpRequest,
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal },
): Promise<SendOutcome> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const limit = signal ? AbortSignal.any([signal, timeout]) : timeout;
  try {
    const message = framed(await encode(payload, "protobuf"));
    const socket = await open(egress, endpoint, limit);
    const session = http2.connect(new URL(endpoint.url).origin, { createConnection: () => socket });
    // The stream reports errors; without this handler the session's own error event would end the process.
    session.on("error", () => undefined);
    try {
      const answer = await call(
        session,
        { headers: endpoint.headers, path: METHODS[payload.signal], message },
        { timeoutMs, limit },
      );
      return outcomeOf(payload.signal, answer);
    } finally {
      session.destroy();
      socket.destroy();
    }
  } catch (error) {
    if (timeout.aborted) throw new Error(`no complete answer within ${timeoutMs} ms`, { cause: error });
    throw error;
  }
}

async function open(egress: Egress, endpoint: Endpoint, limit: AbortSignal): Promise<net.Socket> {
  const url = new URL(endpoint.url);
  egress.assertUrlAllowed(url);
  const isTls = url.protocol === "https:";
  const addresses = await egress.pin(url.hostname);
  const port = Number(url.port) || (isTls ? 443 : 80);
  const socket = await egress.dial({ hostname: url.hostname, addresses, port }, limit);
  if (!isTls) return socket;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const secured = tls.connect({
    socket,
    host,
    ALPNProtocols: ["h2"],
    ...(egress.pinLiteral(url.hostname) ? {} : { servername: host }),
    ...(endpoint.caCertificate === null ? {} : { ca: [endpoint.caCertificate] }),
  });
  try {
    await once(secured, "secureConnect", { signal: limit });
    if (secured.alpnProtocol !== "h2") throw new Error("the endpoint does not speak HTTP/2");
  } catch (error) {
    secured.on("error", () => undefined);
    secured.destroy();
    throw error;
  }
  return secured;
}

/** Returns the frame of one message: compressed flag, length, bytes. */
function framed(gzipped: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(1, 0);
  head.writeUInt32BE(gzipped.length, 1);
  return Buffer.concat([head, gzipped]);
}

interface Answer {
  httpStatus: number;
  /** Headers, overridden by trailers. */
  fields: http2.IncomingHttpHeaders;
  body: Buffer;
}

function call(
  session: http2.ClientHttp2Session,
  { headers, path, message }: { headers: Endpoint["headers"]; path: string; message: Buffer },
  { timeoutMs, limit }: { timeoutMs: number; limit: AbortSignal },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = session.request(
      {
        ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
        ":method": "POST",
        ":path": path,
        "content-type": "application/grpc+proto",
        te: "trailers",
        "grpc-encoding": "gzip",
        "grpc-accept-encoding": "identity,gzip",
        "grpc-timeout": `${timeoutMs}m`,
        "user-agent": USER_AGENT,
      },
      { signal: limit },
    );
    const chunks: Buffer[] = [];
    let length = 0;
    let fields: http2.IncomingHttpHeaders = {};
    stream.on("response", (headers) => {
      fields = { ...fields, ...headers };
    });
    stream.on("trailers", (trailers) => {
      fields = { ...fields, ...trailers };
    });
    stream.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > ANSWER_BYTES_MAX) stream.destroy(new Error("the endpoint's answer is too large"));
      else chunks.push(chunk);
    });
    stream.on("error", reject);
    stream.on("close", () => {
      if (fields[":status"] === undefined) reject(new Error("the endpoint closed the connection"));
      else resolve({ httpStatus: Number(fields[":status"]), fields, body: Buffer.concat(chunks) });
    });
    stream.end(message);
  });
}

const RESOURCE_EXHAUSTED = 8;

function outcomeOf(signal: TelemetrySignal, { httpStatus, fields, body }: Answer): SendOutcome {
  const status = fields["grpc-status"];
  if (status === undefined) {
    const text = shownText(body.toString("utf8"));
    return httpFailure(
      httpStatus,
      `the endpoint does not speak gRPC: it answered ${httpStatus} ${text}`.trim(),
    );
  }
  const grpcStatus = Number(status);
  if (grpcStatus !== 0) {
    const text = shownText(percentDecoded(String(fields["grpc-message"] ?? "")));
    const isExhausted = grpcStatus === RESOURCE_EXHAUSTED;
    const message = `the endpoint answered gRPC status ${grpcStatus}${text === "" ? "" : `: ${text}`}`;
    const delayMs = retryDelayOf(String(fields["grpc-status-details-bin"] ?? ""));
    return grpcFailure(grpcStatus, isExhausted ? `${message} (too much at once)` : message, delayMs);
  }
  const delivered = { kind: "delivered", httpStatus: null, grpcStatus } as const;
  try {
    return { ...delivered, partialSuccess: partialSuccessOf(signal, "protobuf", unframed(body)) };
  } catch {
    return { ...delivered, warning: "the endpoint's answer can't be read" };
  }
}

/** Returns the message of an answer's only frame. */
function unframed(body: Buffer): Buffer {
  if (body.length < 5) return Buffer.alloc(0);
  const message = body.subarray(5, 5 + body.readUInt32BE(1));
  return body[0] === 1 ? gunzipSync(message, { maxOutputLength: ANSWER_BYTES_MAX }) : message;
}
