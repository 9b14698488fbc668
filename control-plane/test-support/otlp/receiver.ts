/**
 * An OpenTelemetry endpoint under a test's control: protobuf and JSON over HTTP, and gRPC, decoded by the official
 * descriptors with libraries that the exporter does not use.
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import grpc from "@grpc/grpc-js";
import protoLoader from "@grpc/proto-loader";

/** The endpoint's reaction to a request. "hang": never answers. */
type OtlpAnswer =
  | "ok"
  | "hang"
  | { status: number; headers?: Record<string, string>; body?: string }
  | { grpcStatus: number; message?: string; retryAfterMs?: number }
  | { rejected: number; message: string };

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came
type Decoded = any;

interface OtlpRequest {
  via: "http/protobuf" | "http/json" | "grpc";
  signal: "logs" | "traces" | "metrics";
  /** Lower-case names. */
  headers: Record<string, unknown>;
  /** Encoding of the body on the wire; undefined: none. */
  encoding: string | undefined;
  /** The request in camel case, ids in hex. */
  body: Decoded;
}

interface ReceivedLog {
  name: string;
  severity: string;
  traceId: string;
  spanId: string;
  atMs: number;
  body: unknown;
  resource: Record<string, unknown>;
  attributes: Record<string, unknown>;
}

export interface OtlpReceiver {
  url: string;
  /** Accepted or not, in the order they came. */
  requests: OtlpRequest[];
  /** Log records of requests that were answered with ok. */
  logs: ReceivedLog[];
  /** May be changed at any time. */
  answer: (request: OtlpRequest, nth: number) => OtlpAnswer;
  close(): Promise<void>;
}

const DEFINITION = protoLoader.loadFileDescriptorSetFromBuffer(
  readFileSync(new URL("opentelemetry-proto.binpb", import.meta.url)),
  { longs: String, enums: String, bytes: Buffer, arrays: true },
);

const SERVICES = {
  logs: "opentelemetry.proto.collector.logs.v1.LogsService",
  traces: "opentelemetry.proto.collector.trace.v1.TraceService",
  metrics: "opentelemetry.proto.collector.metrics.v1.MetricsService",
} as const;
const REJECTED_FIELD = {
  logs: "rejected_log_records",
  traces: "rejected_spans",
  metrics: "rejected_data_points",
} as const;
type Signal = keyof typeof SERVICES;

function exportMethod(signal: Signal) {
  return (DEFINITION[SERVICES[signal]] as grpc.ServiceDefinition).Export as grpc.MethodDefinition<
    Decoded,
    Decoded
  >;
}

/** @param tls PEM of key and certificate: https */
export async function startOtlpHttp(tls?: { key: string; cert: string }): Promise<OtlpReceiver> {
  const receiver = emptyReceiver();
  const handle: http.RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const encoding = request.headers["content-encoding"];
    const bytes = encoding === "gzip" ? gunzipSync(Buffer.concat(chunks)) : Buffer.concat(chunks);
    const isJson = request.headers["content-type"] === "application/json";
    const signal = /\/v1\/(logs|traces|metrics)$/.exec(
      new URL(request.url ?? "", "http://x").pathname,
    )?.[1] as Signal;
    if (!signal || request.method !== "POST") return void response.writeHead(404).end("no such path");
    const one: OtlpRequest = {
      via: isJson ? "http/json" : "http/protobuf",
      signal,
      encoding,
      headers: request.headers,
      body: isJson ? JSON.parse(bytes.toString()) : camel(exportMethod(signal).requestDeserialize(bytes)),
    };
    const answer = answerTo(receiver, one);
    if (answer === "hang") return;
    if (answer !== "ok" && "status" in answer)
      return void response.writeHead(answer.status, answer.headers).end(answer.body ?? "");
    if (answer !== "ok" && "grpcStatus" in answer) return void response.writeHead(500).end();
    const partial =
      answer === "ok"
        ? {}
        : { partial_success: { [REJECTED_FIELD[signal]]: answer.rejected, error_message: answer.message } };
    response.writeHead(200, { "content-type": isJson ? "application/json" : "application/x-protobuf" });
    response.end(isJson ? JSON.stringify(camel(partial)) : exportMethod(signal).responseSerialize(partial));
  };
  const server = tls ? https.createServer(tls, handle) : http.createServer(handle);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  receiver.url = `${tls ? "https" : "http"}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  receiver.close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return receiver;
}

/** @param tls PEM of key and certificate: TLS */
export async function startOtlpGrpc(tls?: { key: string; cert: string }): Promise<OtlpReceiver> {
  const receiver = emptyReceiver();
  const server = new grpc.Server();
  for (const signal of Object.keys(SERVICES) as Signal[])
    server.addService(DEFINITION[SERVICES[signal]] as grpc.ServiceDefinition, {
      Export: (call: grpc.ServerUnaryCall<Decoded, Decoded>, callback: grpc.sendUnaryData<Decoded>) => {
        const headers = call.metadata.getMap();
        const answer = answerTo(receiver, {
          via: "grpc",
          signal,
          headers,
          encoding: headers["grpc-encoding"]?.toString(),
          body: camel(call.request),
        });
        if (answer === "hang") return;
        if (answer === "ok") return callback(null, {});
        if ("rejected" in answer)
          return callback(null, {
            partial_success: { [REJECTED_FIELD[signal]]: answer.rejected, error_message: answer.message },
          });
        const metadata = new grpc.Metadata();
        if ("grpcStatus" in answer && answer.retryAfterMs !== undefined)
          metadata.set("grpc-status-details-bin", retryInfo(answer.retryAfterMs));
        callback({
          code: "grpcStatus" in answer ? answer.grpcStatus : grpc.status.INTERNAL,
          details: "grpcStatus" in answer ? (answer.message ?? "") : "",
          metadata,
        });
      },
    });
  const credentials = tls
    ? grpc.ServerCredentials.createSsl(null, [
        { private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.cert) },
      ])
    : grpc.ServerCredentials.createInsecure();
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", credentials, (error, bound) => (error ? reject(error) : resolve(bound))),
  );
  receiver.url = `${tls ? "https" : "http"}://127.0.0.1:${port}`;
  receiver.close = async () => server.forceShutdown();
  return receiver;
}

function emptyReceiver(): OtlpReceiver {
  return { url: "", requests: [], logs: [], answer: () => "ok", close: async () => undefined };
}

function answerTo(receiver: OtlpReceiver, request: OtlpRequest): OtlpAnswer {
  receiver.requests.push(request);
  const answer = receiver.answer(request, receiver.requests.length - 1);
  if (answer === "ok" && request.signal === "logs") receiver.logs.push(...logsOf(request.body));
  return answer;
}

/** google.rpc.Status with one google.rpc.RetryInfo, by hand: lengths below 128. */
function retryInfo(ms: number): Buffer {
  const field = (number: number, bytes: Buffer) =>
    Buffer.concat([Buffer.of((number << 3) | 2, bytes.length), bytes]);
  const duration = Buffer.of(1 << 3, Math.floor(ms / 1000));
  const any = Buffer.concat([
    field(1, Buffer.from("type.googleapis.com/google.rpc.RetryInfo")),
    field(2, field(1, duration)),
  ]);
  return Buffer.concat([Buffer.of(1 << 3, 14), field(3, any)]);
}

function logsOf(body: Decoded): ReceivedLog[] {
  return (body.resourceLogs ?? []).flatMap((of: Decoded) =>
    of.scopeLogs.flatMap((scope: Decoded) =>
      scope.logRecords.map((record: Decoded) => ({
        name: record.eventName,
        severity: record.severityText,
        traceId: record.traceId ?? "",
        spanId: record.spanId ?? "",
        atMs: Number(BigInt(record.timeUnixNano) / 1_000_000n),
        body: record.body ? anyValue(record.body) : undefined,
        resource: attributesOf(of.resource.attributes),
        attributes: attributesOf(record.attributes),
      })),
    ),
  );
}

export function attributesOf(attributes: Decoded[] = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, anyValue(value)]));
}

function anyValue(value: Decoded): unknown {
  if (value.arrayValue) return (value.arrayValue.values ?? []).map(anyValue);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.doubleValue ?? value.boolValue;
}

/** Ids come as bytes, and in JSON as hex: hex in both. */
function camel(value: Decoded): Decoded {
  if (Buffer.isBuffer(value)) return value.toString("hex");
  if (Array.isArray(value)) return value.map(camel);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      camel(item),
    ]),
  );
}
