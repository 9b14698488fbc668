import * as z from "zod";
import { assertionSchema } from "../assertions/registry.ts";
import { authSchema, headersSchema, httpUrlSchema, personaIdSchema, uniqueItems } from "../base/fields.ts";
import { closedObject } from "../base/objects.ts";

export const HTTP_METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD"] as const;

/** What an agent readiness probe looks for on the target's site. */
export const READINESS_PROBE_IDS = [
  "robots_txt",
  "llms_txt",
  "sitemap",
  "structured_data",
  "markdown_negotiation",
  "api_catalog",
  "mcp_discovery",
  "agent_card",
  "security_txt",
  "content_signals",
] as const;
export type ReadinessProbeId = (typeof READINESS_PROBE_IDS)[number];

const everySchema = z.int().min(1, "smallest is 1").max(1000, "largest is 1000");

/** Repeat the request presenting as AI crawlers and compare what they get with the baseline. */
export const agentPersonasSchema = closedObject({
  enabled: z.boolean().default(false),
  personas: z.array(personaIdSchema).min(1, "at least one persona").superRefine(uniqueItems),
  every: everySchema.default(1).describe("Run personas on 1 in N runs."),
  failOnDivergence: z.boolean().default(false),
});
export type AgentPersonas = z.infer<typeof agentPersonasSchema>;

/** Probe what the site offers to AI agents. */
export const agentReadinessSchema = closedObject({
  enabled: z.boolean().default(false),
  every: everySchema.default(12).describe("Run probes on 1 in N runs."),
  require: z.array(z.enum(READINESS_PROBE_IDS)).superRefine(uniqueItems).default([]),
});
export type AgentReadiness = z.infer<typeof agentReadinessSchema>;

/** Configuration of a check of type http. */
export const httpConfigSchema = closedObject({
  url: httpUrlSchema,
  method: z.enum(HTTP_METHODS).default("GET"),
  headers: headersSchema.optional(),
  body: z.string().optional(),
  auth: authSchema.optional(),
  followRedirects: z.boolean().default(true),
  maxRedirects: z.int().min(0, "smallest is 0").max(20, "largest is 20").default(5),
  timeoutMs: z.int().min(1, "smallest is 1").max(120_000, "largest is 120000").default(30_000),
  assertions: z.array(assertionSchema).max(100, "at most 100 assertions").default([]),
  agentPersonas: agentPersonasSchema.optional(),
  agentReadiness: agentReadinessSchema.optional(),
});
export type HttpConfig = z.infer<typeof httpConfigSchema>;
