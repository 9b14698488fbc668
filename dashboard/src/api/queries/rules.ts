/** Reads alert rules. */
import type { alertRuleRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { allParts, partQuery } from "../all-parts.ts";
import { request, requestRecord } from "../request.ts";
import { keptLive, READ_ONCE, SLOW_MS } from "./intervals.ts";

/** The alert rules of all checks; those that SLOs generate are left out. */
export const rulesQuery = queryOptions({
  queryKey: ["rules"],
  queryFn: () =>
    allParts(
      (cursor) =>
        request<typeof alertRuleRoutes.listOfTeam>("GET", "/api/alerts", { query: partQuery(cursor) }),
      ({ alerts }) => alerts,
    ),
  ...keptLive(SLOW_MS, { topics: ["change"] }),
});

/** An alert rule to be edited, with its version. */
export const editedRuleQuery = (alertId: string) =>
  queryOptions({
    queryKey: ["edited rule", alertId],
    queryFn: () =>
      requestRecord<typeof alertRuleRoutes.get>("GET", "/api/alerts/:alertId", { params: { alertId } }),
    ...READ_ONCE,
  });

/** Which conditions of a rule hold now, and what the others lack. */
export const explanationQuery = (alertId: string, checkId: string) =>
  queryOptions({
    queryKey: ["explanation", alertId],
    queryFn: () =>
      request<typeof alertRuleRoutes.explain>("GET", "/api/alerts/:alertId/explain", { params: { alertId } }),
    ...keptLive(SLOW_MS, { topics: ["results"], checkId }),
  });

/** The alert rules of a check, with those that SLOs generated. */
export const rulesOfCheckQuery = (checkId: string) =>
  queryOptions({
    queryKey: ["rules", checkId],
    queryFn: () =>
      request<typeof alertRuleRoutes.listOfCheck>("GET", "/api/checks/:id/alerts", {
        params: { id: checkId },
        query: { secrets: "masked" },
      }),
    ...keptLive(SLOW_MS, { topics: ["change"] }),
  });
