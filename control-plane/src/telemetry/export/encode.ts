/** Encodes records as OTLP and decodes the endpoint's answers. */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import {
  JsonLogsSerializer,
  JsonMetricsSerializer,
  JsonTraceSerializer,
  ProtobufLogsSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from "@opentelemetry/otlp-transformer";
import type { TelemetrySignal } from "@svc/contract";
import type { Payload } from "./batch.ts";

const compress = promisify(gzip);

/** Form of the request's body over HTTP. gRPC always uses protobuf. */
export type Encoding = "protobuf" | "json";

const SERIALIZERS = {
  protobuf: {
    logs: ProtobufLogsSerializer,
    traces: ProtobufTraceSerializer,
    metrics: ProtobufMetricsSerializer,
  },
  json: { logs: JsonLogsSerializer, traces: JsonTraceSerializer, metrics: JsonMetricsSerializer },
};

/** Returns the gzip-compressed body of a request. The compression runs outside the event loop. */
export async function encode(payload: Payload, encoding: Encoding): Promise<Buffer> {
  return compress(serialize(payload, encoding), { level: 1 });
}

function serialize({ signal, records }: Payload, encoding: Encoding): Uint8Array {
  const serializer = SERIALIZERS[encoding][signal] as {
    serializeRequest(request: unknown): Uint8Array | undefined;
  };
  const bytesOf = (request: unknown): Uint8Array => {
    const bytes = serializer.serializeRequest(request);
    if (!bytes) throw new Error(`${signal} can't be encoded as ${encoding}`);
    return bytes;
  };
  if (signal !== "metrics") return bytesOf(records);
  // Metrics are serialized one resource at a time. Concatenated Protobuf messages are one message with joined lists.
  if (encoding === "protobuf") return Buffer.concat(records.map(bytesOf));
  const resourceMetrics = records.flatMap(
    (record) => JSON.parse(Buffer.from(bytesOf(record)).toString()).resourceMetrics,
  );
  return Buffer.from(JSON.stringify({ resourceMetrics }));
}

/** The endpoint's report on records of an accepted request that it rejected. */
export interface PartialSuccess {
  rejectedRecords: number;
  message: string;
}

/**
 * Returns the partial success that an answer reports, or undefined.
 * @throws Error when the body is no OTLP answer
 */
export function partialSuccessOf(
  signal: TelemetrySignal,
  encoding: Encoding,
  body: Uint8Array,
): PartialSuccess | undefined {
  if (body.length === 0) return undefined;
  const { partialSuccess } = SERIALIZERS[encoding][signal].deserializeResponse(body) as {
    partialSuccess?: Record<string, unknown> | null;
  };
  if (!partialSuccess) return undefined;
  const rejected =
    partialSuccess.rejectedLogRecords ??
    partialSuccess.rejectedSpans ??
    partialSuccess.rejectedDataPoints ??
    0;
  const message = String(partialSuccess.errorMessage ?? "");
  return Number(rejected) > 0 || message !== "" ? { rejectedRecords: Number(rejected), message } : undefined;
}
