/** Reads SLOs, how they stand, and how their error budgets were spent. */
import type { sloRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { allParts, partQuery } from "../all-parts.ts";
import { type Answer, request, requestRecord } from "../request.ts";
import { READ_ONCE, SLOW_MS } from "./intervals.ts";

/** An SLO. */
export type Slo = Answer<typeof sloRoutes.get>["slo"];
/** How an SLO stands. */
export type SloStatus = Answer<typeof sloRoutes.getStatus>["state"];
/** The course of an SLO's error budget. */
export type SloSeries = Answer<typeof sloRoutes.getSeries>;

/** The team's SLOs with how they stand; an SLO that was made between the two requests has no status yet. */
export const slosQuery = queryOptions({
  queryKey: ["slos"],
  queryFn: async () => {
    const [slos, states] = await Promise.all([
      allParts(
        (cursor) => request<typeof sloRoutes.list>("GET", "/api/slos", { query: partQuery(cursor) }),
        (part) => part.slos,
      ),
      allParts(
        (cursor) =>
          request<typeof sloRoutes.listStatuses>("GET", "/api/slos/status", { query: partQuery(cursor) }),
        (part) => part.states,
      ),
    ]);
    const stateOf = new Map(states.map((state) => [state.sloId, state]));
    return slos.map((slo) => ({ slo, status: stateOf.get(slo.id) }));
  },
  refetchInterval: SLOW_MS,
});

/** An SLO. */
export const sloQuery = (id: string) =>
  queryOptions({
    queryKey: ["slo", id],
    queryFn: () => request<typeof sloRoutes.get>("GET", "/api/slos/:id", { params: { id } }),
    refetchInterval: SLOW_MS,
  });

/** An SLO to be edited, with its version. */
export const editedSloQuery = (id: string) =>
  queryOptions({
    queryKey: ["edited SLO", id],
    queryFn: () => requestRecord<typeof sloRoutes.get>("GET", "/api/slos/:id", { params: { id } }),
    ...READ_ONCE,
  });

/** How far an SLO's error budget is used. */
export const sloStatusQuery = (id: string) =>
  queryOptions({
    queryKey: ["slo status", id],
    queryFn: () => request<typeof sloRoutes.getStatus>("GET", "/api/slos/:id/status", { params: { id } }),
    refetchInterval: SLOW_MS,
  });

/** How an SLO's error budget was spent, hour by hour. */
export const sloSeriesQuery = (id: string) =>
  queryOptions({
    queryKey: ["slo series", id],
    queryFn: () => request<typeof sloRoutes.getSeries>("GET", "/api/slos/:id/series", { params: { id } }),
    refetchInterval: SLOW_MS,
  });
