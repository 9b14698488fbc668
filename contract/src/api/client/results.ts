/** Client methods of results and coverage. */
import type { ResultStatus } from "../../base/result-status.ts";
import type { CheckHealth } from "../../resources/check-health.ts";
import type { COVERAGE_RANGES } from "../../resources/coverage.ts";
import type { Result } from "../../resources/result.ts";
import type { resultRoutes } from "../results.ts";
import { PAGE_LIMIT_MAX, readAll } from "./read-all.ts";
import type { CallRoute, Page } from "./rest-connection.ts";

type Routes = typeof resultRoutes;

/** Filters and detail of a request for a list of results. */
interface ResultsOptions {
  detail?: boolean;
  status?: ResultStatus | undefined;
  /** ISO 8601: only results of slots of this instant and later. */
  from?: string | undefined;
}

/** Returns the client methods of results. */
export const resultMethods = (call: CallRoute) => ({
  /** Lists the health of all checks, in the order of the list of checks. */
  listCheckHealth: (): Promise<CheckHealth[]> =>
    readAll(
      (page) => call<Routes["listHealth"]>("GET", "/api/checks/health", { query: page }),
      (answer) => answer.checks,
      { limit: PAGE_LIMIT_MAX },
    ),
  /** Lists newest first. `detail` adds assertions, evidence, attempts and the fields of the check's type. */
  listResults: (id: string, options: Page & ResultsOptions = {}) =>
    call<Routes["list"]>("GET", "/api/checks/:id/results", { params: { id }, query: { ...options } }),
  async getResult(id: string, resultId: string): Promise<Result> {
    const input = { params: { id, resultId } };
    return (await call<Routes["get"]>("GET", "/api/checks/:id/results/:resultId", input)).result;
  },
  /** @param range how far back; default 24h */
  getCoverage: (id: string, range?: keyof typeof COVERAGE_RANGES) =>
    call<Routes["getCoverage"]>("GET", "/api/checks/:id/coverage", { params: { id }, query: { range } }),
});
