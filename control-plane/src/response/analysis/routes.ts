/** Registers the routes of the analysis. */
import { analysisRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import { serviceModel } from "../../platform/language-model/token-meter.ts";
import type { Services } from "../../platform/services.ts";
import { analyzeCheck } from "./analyze-check.ts";
import { getLastAnalysis } from "./get-last-analysis.ts";

/** Registers the routes of the analysis. Summaries are worded by the language model where there is one. */
export function registerAnalysisRoutes(app: ApiApp, services: Services): void {
  const model = serviceModel(services);
  serve(app, analysisRoutes.analyze, {
    waitsElsewhere: true,
    handler: async (request) => analyzeCheck(contextOf(services, request), { id: request.params.id, model }),
  });

  serve(app, analysisRoutes.getLast, async (request) =>
    getLastAnalysis(contextOf(services, request), request.params),
  );
}
