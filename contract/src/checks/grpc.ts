import * as z from "zod";
import { assertionsAbout } from "../assertions/registry.ts";
import { headersSchema } from "../base/fields.ts";
import { closedObject, withoutDefaults } from "../base/objects.ts";
import { vaultNamesIn } from "../base/vault.ts";
import { CONFIG_TOO_LARGE, isWithinConfigSize } from "./config-size.ts";
import { defineCheckType } from "./define-check-type.ts";
import {
  certificateWithKey,
  connectionTimeoutSchema,
  directTlsFields,
  hostOfUrl,
  hostSchema,
  portSchema,
} from "./host-fields.ts";
import { proxyFields, proxyWithCredentials } from "./proxy-fields.ts";
import { tlsWhereNeeded } from "./tls-where-needed.ts";

/** Names of headers that a call sets itself, or that HTTP/2 has no use for (RFC 9113, 8.2.2). */
const OWN_HEADERS = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
/** Values of metadata (gRPC over HTTP2, Custom-Metadata): printable ASCII. */
const ASCII_VALUE = /^[\x20-\x7e]*$/;
const BASE64 = /^[A-Za-z\d+/]*={0,2}$/;

const metadataSchema = headersSchema.superRefine((metadata, context) => {
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(metadata)) {
    const problem = problemOf(name.toLowerCase(), value, seen);
    if (problem !== undefined) context.addIssue({ code: "custom", path: [name], message: problem });
    seen.add(name.toLowerCase());
  }
});

/** Returns why an entry can't be sent; undefined when it can. @param seen names before it, in lower case */
function problemOf(name: string, value: string, seen: ReadonlySet<string>): string | undefined {
  if (!/^[a-z\d_.-]+$/.test(name)) return "a name of metadata has letters, digits, _, - and . only";
  if (name.startsWith("grpc-")) return "names that begin with grpc- are the protocol's own";
  if (OWN_HEADERS.has(name)) return `the call sets ${name} itself, or HTTP/2 has none`;
  if (seen.has(name)) return "is there twice: names are the same in upper and lower case";
  if (vaultNamesIn(value).length > 0) return undefined;
  if (name.endsWith("-bin"))
    return BASE64.test(value) ? undefined : "expected Base64, as the name ends in -bin";
  return ASCII_VALUE.test(value) ? undefined : "expected printable ASCII; other bytes need a name in -bin";
}

const configFields = closedObject({
  host: hostSchema,
  port: portSchema,
  timeoutMs: connectionTimeoutSchema,
  tls: z.boolean().default(false).describe("Speak TLS, with a server that has to be trusted."),
  ...directTlsFields,
  ...proxyFields,
  service: z
    .string()
    .max(1024, "at most 1024 characters")
    .default("")
    .describe("Service whose health is asked for, as the server names it; empty: the server as a whole."),
  metadata: metadataSchema
    .optional()
    .describe("Headers of the call, such as authorization. Values of names that end in -bin are Base64."),
  assertions: assertionsAbout("grpc", ["time", "certificate"]),
});

/** Configuration of a check of type grpc. */
const grpcConfigSchema = configFields
  .superRefine(certificateWithKey)
  .superRefine(proxyWithCredentials)
  .superRefine(tlsWhereNeeded(directTlsFields))
  .refine(isWithinConfigSize, CONFIG_TOO_LARGE);

/** A question to a gRPC server for its health. */
export const grpcCheck = defineCheckType({
  type: "grpc",
  title: "gRPC",
  summary: "a question to a gRPC server for its health, by the standard protocol",
  configKey: "grpcConfig",
  configSchema: grpcConfigSchema,
  monitorFields: withoutDefaults(configFields.shape),
  inheritedFields: ["timeoutMs", "assertions"],
  targetField: "host",
  secretFields: { metadata: "headers", clientKey: "credential", proxyPassword: "credential" },
  secretDestinations: {
    metadata: ["host", "port", "tls", "proxyUrl"],
    clientKey: ["host", "port", "proxyUrl"],
    proxyPassword: ["proxyUrl"],
  },
  starter: {
    question: "URL of the gRPC server to watch: ",
    fields: (url) => ({ ...hostOfUrl(url), ...(/^https:/i.test(url) ? { tls: true } : {}) }),
  },
  canRunLocally: true,
  runCost: { seconds: 0.5 },
  whyNoCertificate: ({ tls }) => (tls === true ? undefined : "the check does not speak TLS"),
  detailFields: {
    grpcJson: z.object({
      servingStatus: z
        .string()
        .optional()
        .describe("Health that the server reported: `SERVING`, `NOT_SERVING`, `SERVICE_UNKNOWN`, `UNKNOWN`."),
      grpcStatus: z
        .string()
        .optional()
        .describe("Status that the call ended with, such as `OK` or `NOT_FOUND`."),
      grpcMessage: z.string().optional().describe("The server's words for a status other than `OK`."),
      httpStatusCode: z.number().optional().describe("HTTP status of the answer; 200 where gRPC is spoken."),
    }),
  },
});
