import * as z from "zod";
import { assertionsAbout } from "../assertions/registry.ts";
import { closedObject, withoutDefaults } from "../base/objects.ts";
import { validRegularExpression } from "../base/regular-expression.ts";
import { CONFIG_TOO_LARGE, isWithinConfigSize } from "./config-size.ts";
import { defineCheckType } from "./define-check-type.ts";
import {
  certificateWithKey,
  connectionTimeoutSchema,
  hostOfUrl,
  hostSchema,
  portSchema,
  tlsFields,
} from "./host-fields.ts";
import { proxyFields, proxyWithCredentials } from "./proxy-fields.ts";
import { tlsWhereNeeded } from "./tls-where-needed.ts";

const configFields = closedObject({
  host: hostSchema,
  port: portSchema,
  timeoutMs: connectionTimeoutSchema,
  tls: z.boolean().default(false).describe("Speak TLS, with a server that has to be trusted."),
  ...tlsFields,
  ...proxyFields,
  send: z
    .string()
    .min(1, "send has at least 1 character")
    .max(65_536, "at most 65536 characters")
    .optional()
    .describe("Text to send once the connection is open, in UTF-8; most protocols end a line with \\r\\n."),
  expectContains: z
    .string()
    .min(1, "expectContains has at least 1 character")
    .max(65_536, "at most 65536 characters")
    .optional()
    .describe("Text that must be among the first 64 KiB that the server sends; case-sensitive."),
  expectMatches: z
    .string()
    .min(1, "expectMatches has at least 1 character")
    .max(16_384, "at most 16384 characters")
    .superRefine(validRegularExpression)
    .optional()
    .describe("JavaScript regular expression that must match in the first 64 KiB that the server sends."),
  assertions: assertionsAbout("tcp", ["time", "certificate"]),
});

/** Configuration of a check of type tcp. */
const tcpConfigSchema = configFields
  .superRefine(certificateWithKey)
  .superRefine(proxyWithCredentials)
  .superRefine(tlsWhereNeeded(tlsFields))
  .refine(isWithinConfigSize, CONFIG_TOO_LARGE);

/** A TCP connection, with TLS or without, and what is said over it. */
export const tcpCheck = defineCheckType({
  type: "tcp",
  title: "TCP",
  summary: "a TCP connection, with or without TLS, and what is answered over it",
  configKey: "tcpConfig",
  configSchema: tcpConfigSchema,
  monitorFields: withoutDefaults(configFields.shape),
  inheritedFields: ["timeoutMs", "assertions"],
  targetField: "host",
  secretFields: { send: "content", clientKey: "credential", proxyPassword: "credential" },
  secretDestinations: {
    send: ["host", "port", "tls", "proxyUrl"],
    clientKey: ["host", "port", "proxyUrl"],
    proxyPassword: ["proxyUrl"],
  },
  starter: {
    question: "URL of the server to watch: ",
    fields: hostOfUrl,
  },
  canRunLocally: true,
  runCost: { seconds: 0.5 },
  whyNoCertificate: ({ tls }) => (tls === true ? undefined : "the check does not speak TLS"),
  detailFields: {
    tcpJson: z.object({
      received: z.string().describe("The beginning of what the server sent, as text."),
      receivedBytes: z.number().describe("Bytes that were read."),
    }),
  },
});
