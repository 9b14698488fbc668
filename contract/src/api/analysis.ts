/** Routes of the analysis of a check. */
import * as z from "zod";
import {
  ANALYSES_PER_CHECK,
  ANALYSES_PER_MONTH,
  ANALYSIS_COOLDOWN_SECONDS,
} from "../base/analysis-limits.ts";
import { errorSchema } from "../base/error-schema.ts";
import { idSchema } from "../base/ids.ts";
import { analysisSchema, lastAnalysisSchema } from "../resources/analysis.ts";
import { defineRoute } from "./route.ts";

const tag = "Analysis";
const params = z.object({ id: idSchema("check") });

/** Routes of the analysis of a check, by operation. */
export const analysisRoutes = {
  analyze: defineRoute({
    method: "POST",
    path: "/api/checks/:id/analyze",
    access: "changes",
    tag,
    summary: "Analyze a check's stored evidence",
    description: `429 within ${ANALYSIS_COOLDOWN_SECONDS / 60} minutes of the check's last analysis, after ${ANALYSES_PER_CHECK} analyses of the check, and after ${ANALYSES_PER_MONTH} of the team in a month, or what its plan allows.`,
    params,
    answer: analysisSchema,
    otherAnswers: { 429: errorSchema },
  }),
  getLast: defineRoute({
    method: "GET",
    path: "/api/checks/:id/analysis",
    access: "reads",
    tag,
    summary: "Get the insight of a check's last analysis",
    params,
    answer: lastAnalysisSchema,
  }),
};
