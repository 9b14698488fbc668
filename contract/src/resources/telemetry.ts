/** A team's OpenTelemetry export: its settings and its status. */
import * as z from "zod";
import { headersSchema, httpUrlSchema } from "../base/fields.ts";
import { maskUrl } from "../base/mask-url.ts";
import { keepMasked, withShortMask } from "../base/masked-read.ts";
import { closedObject, readOnlyField } from "../base/objects.ts";
import { timestampSchema } from "../base/timestamp.ts";

/** Protocols of OTLP. */
const OTLP_PROTOCOLS = ["http/protobuf", "http/json", "grpc"] as const;
/** Protocol of an OTLP endpoint. */
export type OtlpProtocol = (typeof OTLP_PROTOCOLS)[number];

/** Signals that can be exported. Each has its own position in the export. */
export const TELEMETRY_SIGNALS = ["logs", "traces", "metrics"] as const;
/** Signal of OpenTelemetry that can be exported. */
export type TelemetrySignal = (typeof TELEMETRY_SIGNALS)[number];

/** Placeholder for a stored header value, which is never answered. In a request it keeps the stored value. */
export const KEPT_HEADER_VALUE = "***";
/** Most headers of an OTLP export. */
const OTLP_HEADERS_MAX = 32;

/** Headers that the protocol or the connection sets. */
const OWN_HEADERS =
  /^(content-(type|length|encoding)|transfer-encoding|connection|keep-alive|upgrade|expect|te|trailer|host|proxy-.*|grpc-.*)$/i;

const otlpHeadersSchema = headersSchema
  .refine((headers) => Object.keys(headers).length <= OTLP_HEADERS_MAX, `at most ${OTLP_HEADERS_MAX} headers`)
  .superRefine((headers, context) => {
    for (const name of Object.keys(headers))
      if (OWN_HEADERS.test(name))
        context.addIssue({ code: "custom", path: [name], message: `${name} is set by the protocol` });
  });

/**
 * True when the URL has no user name and password: answers and logs show the endpoint as it is. True also for a text that is
 * not a URL, which another rule refuses.
 */
function hasNoCredentials(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { username, password } = new URL(text);
  return username === "" && password === "";
}

/** Returns the URL of an endpoint as the API answers it: `***` stands for each credential in its query. */
export function maskEndpointForRead(endpoint: string): string {
  return withShortMask(maskUrl(endpoint)) as string;
}

/**
 * Returns the stored URL when the given one is its masked form, and else the given one.
 * @param stored null: no endpoint is stored
 * @throws DomainError `invalid` for a URL with `***` that is not the masked form of the stored one
 */
export function keepMaskedEndpoint(given: string, stored: string | null): string {
  const masked = stored === null ? undefined : maskEndpointForRead(stored);
  return keepMasked({ given, stored, masked, path: "endpoint" }) as string;
}

/** Body of PUT /api/telemetry: an absent field stays as it is. */
export const updateTelemetrySchema = closedObject({
  endpoint: httpUrlSchema
    .refine(hasNoCredentials, "has a user name or password; give them as an Authorization header")
    .optional()
    .describe(
      "Base URL of the collector; /v1/logs and so on are appended for the HTTP protocols. The URL as it is answered, with *** for credentials, keeps the stored one.",
    ),
  protocol: z.enum(OTLP_PROTOCOLS).optional().describe("Default http/protobuf."),
  headers: otlpHeadersSchema
    .optional()
    .describe(`Replaces all headers. The value ${KEPT_HEADER_VALUE} keeps the one stored under that name.`),
  enabled: z
    .boolean()
    .optional()
    .describe("Default true. What happens while it is off is not exported later."),
  traces: z.boolean().optional().describe("Also export a trace per result. Default false."),
  metrics: z.boolean().optional().describe("Also export metrics of results. Default false."),
  caCertificate: z
    .string()
    .max(65_536, "at most 65536 characters")
    .regex(/-----BEGIN CERTIFICATE-----/, "expected PEM certificates")
    .nullable()
    .optional()
    .describe("PEM certificates trusted in place of the public ones."),
  status: readOnlyField,
  updatedAt: readOnlyField,
});
/** Body of the request that changes the export's settings. Absent fields stay as they are. */
export type UpdateTelemetry = z.infer<typeof updateTelemetrySchema>;

/** Schema of the status of one signal's export. */
const exportStatusSchema = z.object({
  signal: z.enum(TELEMETRY_SIGNALS),
  state: z.enum(["waiting", "exporting", "failing"]).describe("waiting: nothing was sent yet."),
  lagSeconds: z.number().describe("Age of the oldest record that is not exported yet; 0: none waits."),
  lastSuccessAt: timestampSchema.nullable(),
  lastErrorAt: timestampSchema.nullable(),
  lastError: z.string().nullable(),
  nextAttemptAt: timestampSchema.nullable().describe("While failing."),
  exportedRecords: z.number(),
  rejectedRecords: z.number().describe("Refused by the endpoint out of batches it took."),
  droppedRecords: z.number().describe("Given up because the endpoint refuses them as malformed."),
});
/** The position and counts of one signal's export. */
export type ExportStatus = z.infer<typeof exportStatusSchema>;

/** Schema of the settings as the API answers them. */
export const telemetrySettingsSchema = z
  .object({
    endpoint: z
      .string()
      .nullable()
      .describe("Credentials in the query are write-only; each is answered as ***."),
    protocol: z.enum(OTLP_PROTOCOLS),
    headers: z
      .record(z.string(), z.literal(KEPT_HEADER_VALUE))
      .describe("Values are write-only; each is answered as ***."),
    enabled: z.boolean(),
    traces: z.boolean(),
    metrics: z.boolean(),
    caCertificate: z.string().nullable(),
    updatedAt: timestampSchema.nullable(),
    status: z.array(exportStatusSchema),
  })
  .meta({ id: "TelemetrySettings" });
/** The settings of a team's export, secrets masked, with the status of each signal. */
export type TelemetrySettings = z.infer<typeof telemetrySettingsSchema>;

/** Schema of the outcome of a test: the endpoint's answer to one record. */
export const telemetryTestSchema = z
  .object({
    ok: z.boolean(),
    message: z.string(),
    httpStatus: z.number().nullable(),
    grpcStatus: z.number().nullable(),
    durationMs: z.number(),
  })
  .meta({ id: "TelemetryTest" });
/** Outcome of a test export. */
export type TelemetryTest = z.infer<typeof telemetryTestSchema>;
