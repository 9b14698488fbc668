import * as z from "zod";
import { assertionsAbout } from "../assertions/registry.ts";
import { httpUrlSchema } from "../base/fields.ts";
import { closedObject, withoutDefaults } from "../base/objects.ts";
import { CONFIG_TOO_LARGE, isWithinConfigSize } from "./config-size.ts";
import { defineCheckType } from "./define-check-type.ts";
import { answerProblems, RECORD_TYPES } from "./dns-answers.ts";
import {
  certificateFields,
  certificateWithKey,
  connectionTimeoutSchema,
  hostAndPortOf,
  hostSchema,
} from "./host-fields.ts";
import { proxyFields, proxyWithCredentials } from "./proxy-fields.ts";

const answerSchema = z
  .string()
  .min(1, "an answer has at least 1 character")
  .max(4096, "at most 4096 characters");
const answersSchema = z.array(answerSchema).min(1, "at least one answer").max(100, "at most 100 answers");

const configFields = closedObject({
  domain: hostSchema.describe("The name that is asked about; for PTR an IP address may stand in its place."),
  recordType: z.enum(RECORD_TYPES).default("A"),
  transport: z.enum(["udp", "tcp", "https"]).default("udp").describe("https: DNS over HTTPS (RFC 8484)."),
  resolver: z
    .string()
    .max(8192, "at most 8192 characters")
    .optional()
    .describe(
      "Name server: a host, or host:port; with transport https its URL. Absent: those that the runner itself uses.",
    ),
  timeoutMs: connectionTimeoutSchema,
  expectedRcode: z.enum(["NOERROR", "NXDOMAIN", "SERVFAIL", "REFUSED"]).default("NOERROR"),
  expectContains: answersSchema.optional().describe("Answers that must be among those that come."),
  expectEquals: answersSchema.optional().describe("Answers that must come, and no others; in any order."),
  expectCount: z
    .int()
    .min(0, "smallest is 0")
    .max(1000, "largest is 1000")
    .optional()
    .describe("How many answers must come. Absent: at least one, where NOERROR is expected."),
  ...certificateFields,
  ...proxyFields,
  assertions: assertionsAbout("dns", ["time"]),
});

/** Fields of requests to a resolver over HTTPS. */
const HTTPS_FIELDS = Object.keys({ ...certificateFields, ...proxyFields }) as (
  | keyof typeof certificateFields
  | keyof typeof proxyFields
)[];

/** Configuration of a check of type dns. */
const dnsConfigSchema = configFields
  .superRefine(fittingFields)
  .superRefine((config, context) => {
    for (const { field, message } of answerProblems(config))
      context.addIssue({ code: "custom", path: [field], message });
  })
  .superRefine(certificateWithKey)
  .superRefine(proxyWithCredentials)
  .refine(isWithinConfigSize, CONFIG_TOO_LARGE);

/** Adds an issue for each field that does not fit the others. */
function fittingFields(config: z.infer<typeof configFields>, context: z.RefinementCtx): void {
  const { domain, recordType, transport, resolver, expectedRcode } = config;
  const refuse = (field: keyof typeof config, message: string) =>
    context.addIssue({ code: "custom", path: [field], message });
  const isAddress = domain.includes(":") || /^\d[\d.]*$/.test(domain);
  if (isAddress && recordType !== "PTR")
    refuse("domain", "an IP address can be asked about for records of type PTR only");
  if (transport === "https") {
    if (!httpUrlSchema.safeParse(resolver).success || !resolver?.startsWith("https://"))
      refuse("resolver", "with transport https, expected the https:// URL of a resolver");
  } else if (resolver !== undefined && !hostAndPortOf(resolver, 53))
    refuse("resolver", "expected a host, or host:port");
  if (transport !== "https")
    for (const field of HTTPS_FIELDS)
      if (config[field] !== undefined) refuse(field, "only with transport https");
  if (expectedRcode === "NOERROR") return;
  for (const field of ["expectContains", "expectEquals", "expectCount"] as const)
    if (config[field] !== undefined)
      refuse(field, "only with expectedRcode NOERROR: others bring no answers");
}

/** A question to a name server, and the answers to it. */
export const dnsCheck = defineCheckType({
  type: "dns",
  title: "DNS",
  summary: "a question to a name server, and the answers to it",
  configKey: "dnsConfig",
  configSchema: dnsConfigSchema,
  monitorFields: withoutDefaults(configFields.shape),
  inheritedFields: ["timeoutMs", "resolver", "transport"],
  targetField: "domain",
  resolverField: "resolver",
  secretFields: { resolver: "url", clientKey: "credential", proxyPassword: "credential" },
  secretDestinations: {
    resolver: ["resolver", "proxyUrl"],
    clientKey: ["resolver", "transport", "proxyUrl"],
    proxyPassword: ["proxyUrl"],
  },
  starter: {
    question: "URL of the site whose name to watch: ",
    fields: (url) => ({ domain: new URL(url).hostname }),
  },
  canRunLocally: true,
  runCost: { seconds: 0.3 },
  whyNoCertificate: ({ transport }) =>
    transport === "https" ? undefined : "the check asks a name server without TLS",
  detailFields: {
    dnsJson: z.object({
      server: z.string().describe("The name server that answered."),
      rcode: z.string(),
      isAuthoritative: z.boolean(),
      answers: z.array(z.object({ type: z.string(), text: z.string(), ttlSeconds: z.number() })),
      answerCount: z.number().describe("All of the asked type; at most 100 are listed."),
    }),
  },
});
