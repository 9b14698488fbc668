import * as z from "zod";
import { PERSONA_IDS, personaIdSchema, uniqueItems } from "../base/fields.ts";
import { mayHaveBody } from "../base/http-methods.ts";
import { closedObject, withoutDefaults } from "../base/objects.ts";
import { certificatesWhereNeeded, isNeverSecure } from "./certificates-where-needed.ts";
import { CONFIG_TOO_LARGE, isWithinConfigSize } from "./config-size.ts";
import { defineCheckType } from "./define-check-type.ts";
import { certificateFields, certificateWithKey } from "./host-fields.ts";
import { httpDetailFields } from "./http-detail.ts";
import { proxyFields, proxyWithCredentials } from "./proxy-fields.ts";
import { readinessProbeTypes } from "./readiness-probes.ts";
import { requestFields, responseAssertionsSchema } from "./request-fields.ts";

const everySchema = z.int().min(1, "smallest is 1").max(1000, "largest is 1000");

/** Repeat the request presenting as AI crawlers and compare what they get with the baseline. */
const agentPersonasSchema = closedObject({
  enabled: z.boolean().default(false),
  personas: z
    .array(personaIdSchema)
    .min(1, "at least one persona")
    .max(PERSONA_IDS.length, "each persona once")
    .superRefine(uniqueItems),
  every: everySchema.default(1).describe("Run personas on 1 in N runs."),
  failOnDivergence: z.boolean().default(false),
});

/** Probe what the site offers to AI agents. */
const agentReadinessSchema = closedObject({
  enabled: z.boolean().default(false),
  every: everySchema.default(12).describe("Run probes on 1 in N runs."),
  require: z
    .array(z.enum(readinessProbeTypes.types))
    .max(readinessProbeTypes.types.length, "each probe once")
    .superRefine(uniqueItems)
    .default([]),
});
/** The agent-readiness probes that a check runs, beside its own request. */
export type AgentReadiness = z.infer<typeof agentReadinessSchema>;

const configFields = closedObject({
  ...requestFields,
  timeoutMs: z.int().min(1, "smallest is 1").max(120_000, "largest is 120000").default(30_000),
  assertions: responseAssertionsSchema,
  ...certificateFields,
  ...proxyFields,
  agentPersonas: agentPersonasSchema.optional(),
  agentReadiness: agentReadinessSchema.optional(),
});

/** Configuration of a check of type http. */
export const httpConfigSchema = configFields
  .superRefine(certificateWithKey)
  .superRefine(proxyWithCredentials)
  .superRefine((config, context) => certificatesWhereNeeded(config, [config], context))
  .refine(isWithinConfigSize, CONFIG_TOO_LARGE);
/** Configuration of an HTTP check, defaults filled in. */
export type HttpConfig = z.infer<typeof httpConfigSchema>;

/** A request to a URL, judged by assertions. */
export const httpCheck = defineCheckType({
  type: "http",
  title: "HTTP",
  summary: "an HTTP request, judged by assertions",
  configKey: "httpConfig",
  configSchema: httpConfigSchema,
  monitorFields: withoutDefaults(configFields.shape),
  monitorNotes: ({ method, body }) =>
    body !== undefined && !mayHaveBody(method)
      ? [{ field: "body", note: `not sent, since a ${method} request has no body` }]
      : [],
  inheritedFields: ["timeoutMs", "followRedirects", "maxRedirects", "assertions"],
  targetField: "url",
  secretFields: {
    auth: "auth",
    headers: "headers",
    url: "url",
    body: "content",
    clientKey: "credential",
    proxyPassword: "credential",
  },
  secretDestinations: {
    auth: ["url", "proxyUrl"],
    headers: ["url", "proxyUrl"],
    url: ["url", "proxyUrl"],
    body: ["url", "proxyUrl"],
    clientKey: ["url", "proxyUrl"],
    proxyPassword: ["proxyUrl"],
  },
  starter: {
    question: "URL to watch: ",
    fields: (url) => ({ url, assertions: [{ type: "status_code", value: 200 }] }),
  },
  canRunLocally: true,
  runCost: { seconds: 0.5 },
  whyNoCertificate: ({ url, followRedirects }) =>
    isNeverSecure({ url: String(url), followRedirects: followRedirects !== false })
      ? "the check's URL begins with http:// and it follows no redirect"
      : undefined,
  detailFields: httpDetailFields,
});
