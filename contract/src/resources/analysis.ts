/** Deep analysis of a check: an insight into its state, drawn from its stored evidence. */
import * as z from "zod";
import { severitySchema } from "../base/severity.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { insightTypes } from "./insight-types.ts";

/** Schema of an insight: the state of a check as analysis reads it from the stored evidence. */
const insightSchema = z
  .object({
    type: z.enum(insightTypes.types),
    severity: severitySchema,
    confidence: z.number().min(0).max(1),
    summary: z.string().describe("For people."),
    evidence: z.array(z.string()).describe("The facts that it rests on, one sentence each."),
    claims: z
      .array(
        z.object({
          text: z.string(),
          facts: z.array(z.int().min(0)).min(1).describe("What it rests on, as indexes into `evidence`."),
        }),
      )
      .optional()
      .describe("The sentences of a summary that a language model worded; absent when rules did."),
    model: z.string().describe("Who worded the summary: `rules`, or the name of a language model."),
    generatedAt: timestampSchema,
  })
  .meta({ id: "Insight" });
/** A sentence about a check's state, with the evidence that it was drawn from. */
export type Insight = z.infer<typeof insightSchema>;
/** A sentence that a language model worded, with the indexes of the facts that bear it out. */
export type InsightClaim = NonNullable<Insight["claims"]>[number];

const usageFields = {
  stale: z.boolean().describe("Results have come in that the insight does not know."),
  deepAnalysisCount: z.number().describe("Analyses of this check so far."),
  deepAnalysisLimit: z.number(),
};

/** Answer of POST /api/checks/:id/analyze. */
export const analysisSchema = z.object({ insight: insightSchema, ...usageFields }).meta({ id: "Analysis" });
/** Answer to a request for an analysis: the insight, and how many analyses the check has had. */
export type Analysis = z.infer<typeof analysisSchema>;

/** Answer of GET /api/checks/:id/analysis. */
export const lastAnalysisSchema = z.object({ insight: insightSchema.nullable(), ...usageFields });
/** The newest insight into a check, null when there is none yet, and how many analyses the check has had. */
export type LastAnalysis = z.infer<typeof lastAnalysisSchema>;
