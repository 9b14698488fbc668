/** Reads checks, their health, coverage and results. */
import type { checkRoutes, resultRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { request } from "../request.ts";
import { FAST_MS, keptLive, SLOW_MS } from "./intervals.ts";

/** Checks whose health one answer has at most. */
const HEALTH_PAGE = 200;

/** All checks, without their configurations. */
export const checksQuery = queryOptions({
  queryKey: ["checks"],
  queryFn: () => request<typeof checkRoutes.list>("GET", "/api/checks", { query: { view: "summary" } }),
  ...keptLive(SLOW_MS, { topics: ["change"] }),
});

/** The health of all checks, read page by page. */
export const healthQuery = queryOptions({
  queryKey: ["health"],
  queryFn: async () => {
    const checks = [];
    let cursor: string | undefined;
    do {
      const page = await request<typeof resultRoutes.listHealth>("GET", "/api/checks/health", {
        query: { limit: HEALTH_PAGE, ...(cursor !== undefined && { cursor }) },
      });
      checks.push(...page.checks);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return checks;
  },
  // States come as differences; a check that is new or gone by this.
  ...keptLive(FAST_MS, { topics: ["change"] }),
});

/** A check with its newest results. */
export const checkQuery = (id: string) =>
  queryOptions({
    queryKey: ["check", id],
    queryFn: () =>
      request<typeof checkRoutes.get>("GET", "/api/checks/:id", {
        params: { id },
        query: { secrets: "masked" },
      }),
    ...keptLive(FAST_MS, { topics: ["results", "states", "change"], checkId: id }),
  });

/** A check as the files of a config, without secrets. */
export const asCodeQuery = (id: string) =>
  queryOptions({
    queryKey: ["as-code", id],
    queryFn: () =>
      request<typeof checkRoutes.getAsCode>("GET", "/api/checks/:id/as-code", { params: { id } }),
    ...keptLive(SLOW_MS, { topics: ["change"] }),
  });

/** A result with its evidence. */
export const resultQuery = (id: string, resultId: string) =>
  queryOptions({
    queryKey: ["result", resultId],
    queryFn: () =>
      request<typeof resultRoutes.get>("GET", "/api/checks/:id/results/:resultId", {
        params: { id, resultId },
      }),
  });
