/** Reads rotas and the incident policy, whose steps name them. */
import { DAY_MS, type incidentRoutes, type rotaRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { allParts, partQuery } from "../all-parts.ts";
import { request, requestRecord } from "../request.ts";
import { keptLive, READ_ONCE, SLOW_MS } from "./intervals.ts";

/** Length of the time ahead of which a page says who is on duty. */
const AHEAD_MS = 28 * DAY_MS;

/** The team's rotas. */
export const rotasQuery = queryOptions({
  queryKey: ["rotas"],
  queryFn: () =>
    allParts(
      (cursor) => request<typeof rotaRoutes.list>("GET", "/api/rotas", { query: partQuery(cursor) }),
      ({ rotas }) => rotas,
    ),
  ...keptLive(SLOW_MS, { topics: ["change"] }),
});

/** A rota to be edited, with its version. */
export const editedRotaQuery = (id: string) =>
  queryOptions({
    queryKey: ["edited rota", id],
    queryFn: () => requestRecord<typeof rotaRoutes.get>("GET", "/api/rotas/:id", { params: { id } }),
    ...READ_ONCE,
  });

/** Who of a rota is on duty in the next four weeks. */
export const rotaScheduleQuery = (id: string) =>
  queryOptions({
    queryKey: ["rota schedule", id],
    queryFn: () => {
      const [from, to] = [0, AHEAD_MS].map((ms) => new Date(Date.now() + ms).toISOString());
      return request<typeof rotaRoutes.schedule>("GET", "/api/rotas/:id/schedule", {
        params: { id },
        query: { from, to } as { from: string; to: string },
      });
    },
    ...keptLive(SLOW_MS, { topics: ["change"] }),
  });

/** The incident policy to be edited, with its version. */
export const incidentPolicyQuery = queryOptions({
  queryKey: ["incident policy"],
  queryFn: () => requestRecord<typeof incidentRoutes.getPolicy>("GET", "/api/incident-policy"),
  ...READ_ONCE,
});
