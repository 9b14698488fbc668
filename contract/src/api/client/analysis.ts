/** Client methods of the analysis of a check. */
import type { analysisRoutes } from "../analysis.ts";
import type { CallRoute } from "./rest-connection.ts";

type Routes = typeof analysisRoutes;

/** Returns the client methods of the analysis of a check. */
export const analysisMethods = (call: CallRoute) => ({
  /** Analyzes the check's stored evidence; each call counts against the limits (429 beyond them). */
  analyzeCheck: (id: string) =>
    call<Routes["analyze"]>("POST", "/api/checks/:id/analyze", { params: { id } }),
  /** Gets the insight of the last analysis; does not count against the limits. */
  getAnalysis: (id: string) => call<Routes["getLast"]>("GET", "/api/checks/:id/analysis", { params: { id } }),
});
