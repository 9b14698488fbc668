/** Reads alert rules. */
import type { alertPolicyRoutes, alertRuleRoutes, PreviewAlertPolicy } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { allParts, partQuery } from "../all-parts.ts";
import { request, requestRecord } from "../request.ts";
import { keptLive, READ_ONCE, SLOW_MS } from "./intervals.ts";

/** The alert rules of all checks; those that SLOs and policies generate are left out. */
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

/** The team's alert policies. */
export const policiesQuery = queryOptions({
  queryKey: ["policies"],
  queryFn: () =>
    allParts(
      (cursor) =>
        request<typeof alertPolicyRoutes.list>("GET", "/api/alert-policies", { query: partQuery(cursor) }),
      ({ policies }) => policies,
    ),
  ...keptLive(SLOW_MS, { topics: ["change"] }),
});

/** An alert policy to be edited, with its version. */
export const editedPolicyQuery = (id: string) =>
  queryOptions({
    queryKey: ["edited policy", id],
    queryFn: () =>
      requestRecord<typeof alertPolicyRoutes.get>("GET", "/api/alert-policies/:id", { params: { id } }),
    ...READ_ONCE,
  });

/** The checks for which a policy with these labels and conditions holds. */
export const policyPreviewQuery = (policy: PreviewAlertPolicy) =>
  queryOptions({
    queryKey: ["policy preview", policy],
    queryFn: () =>
      request<typeof alertPolicyRoutes.preview>("POST", "/api/alert-policies/preview", { body: policy }),
    ...keptLive(SLOW_MS, { topics: ["change"] }),
    placeholderData: (before) => before,
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

/** The alert rules of a check, with those that SLOs and policies generated. */
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
