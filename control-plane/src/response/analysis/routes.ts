/** Registers the routes of the analysis. */
import { analysisRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { analyzeCheck } from "./analyze-check.ts";
import { getLastAnalysis } from "./get-last-analysis.ts";
import { type LanguageModel, languageModelOf } from "./language-model.ts";

/** @param model words the summaries; default: the configured one */
export function registerAnalysisRoutes(
  app: ApiApp,
  services: Services,
  model: LanguageModel | undefined = languageModelOf(services.config),
): void {
  serve(app, analysisRoutes.analyze, {
    waitsElsewhere: true,
    handler: async (request) => analyzeCheck(contextOf(services, request), { id: request.params.id, model }),
  });

  serve(app, analysisRoutes.getLast, async (request) =>
    getLastAnalysis(contextOf(services, request), request.params),
  );
}
