/** Details that only a run of an HTTP check has: the treatment of AI crawlers, and the site's offers to agents. */
import * as z from "zod";
import { RESULT_STATUSES } from "../base/result-status.ts";
import { timestampSchema } from "../base/timestamp.ts";

/** Schema of the persona comparison: how the target treats AI crawlers, compared with the check's own request. */
const personaParitySchema = z.object({
  baselineBodyBytes: z.number(),
  baselineContentType: z.string().nullable(),
  results: z.array(
    z.object({
      persona: z.string(),
      status: z.enum(RESULT_STATUSES),
      httpStatusCode: z.number().nullable(),
      responseTimeMs: z.number(),
      startedAt: timestampSchema,
      bodyBytes: z.number(),
      contentType: z.string().nullable(),
      divergence: z.enum(["blocked", "challenged", "assertion_failed", "error"]).optional(),
      divergenceReason: z.string().optional(),
    }),
  ),
});

/** Schema of the readiness report: what the site offers to AI agents. */
const readinessReportSchema = z.object({
  score: z.number(),
  probes: z.array(
    z.object({
      id: z.string(),
      status: z.enum(["pass", "fail", "missing", "skipped"]),
      summary: z.string(),
      details: z.array(z.string()).optional(),
    }),
  ),
  robotsAgents: z.array(z.object({ agent: z.string(), allowed: z.boolean(), rule: z.string().optional() })),
  contentSignals: z.record(z.string(), z.string()),
});

/** Details that a run of an HTTP check adds to a result. */
export const httpDetailFields = {
  agentPersonaParityJson: personaParitySchema,
  agentReadinessJson: readinessReportSchema,
};
