/** Routes of deep analysis. */
import {
  ANALYSES_PER_CHECK,
  ANALYSES_PER_MONTH,
  ANALYSIS_COOLDOWN_SECONDS,
  analysisSchema,
  errorSchema,
  idSchema,
  lastAnalysisSchema,
} from "@svc/contract";
import * as z from "zod";
import type { ApiApp } from "../../platform/http/api.ts";
import type { Services } from "../../platform/services.ts";
import { analyzeCheck, getLastAnalysis } from "./analyze-check.ts";
import { type LanguageModel, languageModelOf } from "./language-model.ts";

const tags = ["Analysis"];
const idParams = z.object({ id: idSchema("check") });

export function registerAnalysisRoutes(
  app: ApiApp,
  services: Services,
  model: LanguageModel | undefined = languageModelOf(services.config),
): void {
  app.post(
    "/api/checks/:id/analyze",
    {
      schema: {
        tags,
        summary: "Analyze a check's stored evidence",
        description: `429 within ${ANALYSIS_COOLDOWN_SECONDS / 60} minutes of the check's last analysis, after ${ANALYSES_PER_CHECK} analyses of the check, and after ${ANALYSES_PER_MONTH} of the team in a month, or what its plan allows.`,
        params: idParams,
        response: { 200: analysisSchema, 429: errorSchema },
      },
    },
    async ({ caller, params }) => analyzeCheck(services, model, caller.teamId, params.id),
  );

  app.get(
    "/api/checks/:id/analysis",
    {
      schema: {
        tags,
        summary: "Get the insight of a check's last analysis",
        params: idParams,
        response: { 200: lastAnalysisSchema },
      },
    },
    async ({ caller, params }) => getLastAnalysis(services, caller.teamId, params.id),
  );
}
