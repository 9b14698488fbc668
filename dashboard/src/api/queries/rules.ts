/** Reads alert rules. */
import type { alertRuleRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { request } from "../request.ts";
import { keptLive, SLOW_MS } from "./intervals.ts";

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
