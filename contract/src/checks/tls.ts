import * as z from "zod";
import { assertionsAbout } from "../assertions/registry.ts";
import { closedObject, withoutDefaults } from "../base/objects.ts";
import { timestampSchema } from "../base/timestamp.ts";
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

/** Versions of TLS by the names that runs report, the oldest first. */
const TLS_PROTOCOLS = ["TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"] as const;

const configFields = closedObject({
  host: hostSchema,
  port: portSchema.default(443),
  timeoutMs: connectionTimeoutSchema,
  ...tlsFields,
  ...proxyFields,
  minDaysBeforeExpiry: z
    .number()
    .min(0, "smallest is 0")
    .max(3650, "largest is 3650")
    .default(14)
    .describe("Every certificate that the server sends must be valid for more than so many days."),
  minProtocol: z
    .enum(TLS_PROTOCOLS)
    .default("TLSv1.2")
    .describe("The version of TLS that is agreed on must not be older."),
  assertions: assertionsAbout("tls", ["time", "certificate"]),
});

/** Configuration of a check of type tls. */
const tlsConfigSchema = configFields
  .superRefine(certificateWithKey)
  .superRefine(proxyWithCredentials)
  .refine(isWithinConfigSize, CONFIG_TOO_LARGE);

/** Schema of a certificate that the server sent. */
const sentCertificateSchema = z.object({
  subject: z.string(),
  issuer: z.string(),
  validFrom: timestampSchema,
  validTo: timestampSchema,
  fingerprintSha256: z.string(),
});

/** A certificate, its chain and the version of TLS, without a word of what is spoken over it. */
export const tlsCheck = defineCheckType({
  type: "tls",
  title: "TLS",
  summary: "the certificate of a server, its chain and the version of TLS",
  configKey: "tlsConfig",
  configSchema: tlsConfigSchema,
  monitorFields: withoutDefaults(configFields.shape),
  inheritedFields: ["timeoutMs", "minDaysBeforeExpiry", "minProtocol"],
  targetField: "host",
  secretFields: { clientKey: "credential", proxyPassword: "credential" },
  secretDestinations: { clientKey: ["host", "port", "proxyUrl"], proxyPassword: ["proxyUrl"] },
  starter: {
    question: "URL of the server to watch: ",
    fields: hostOfUrl,
  },
  canRunLocally: true,
  runCost: { seconds: 0.5 },
  detailFields: {
    tlsJson: z.object({
      protocol: z.string().describe("The version that was agreed on."),
      cipher: z.string(),
      chain: z.array(sentCertificateSchema).describe("As the server sent it, its own certificate first."),
    }),
  },
});
