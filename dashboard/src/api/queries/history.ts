/** Reads what was: slots, series, filtered results and runs of a check. */
import type { alertRuleRoutes, resultRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { type Answer, request } from "../request.ts";
import { FAST_MS, keptLive, SLOW_MS } from "./intervals.ts";

/** The slots of a check. */
export type Slots = Answer<typeof resultRoutes.getSlots>;
/** One slot, or several next to one another, at one location. */
export type SlotCell = Slots["locations"][number]["cells"][number];
/** Response times and outcomes of a check over time. */
export type Series = Answer<typeof resultRoutes.getSeries>;

/** Usual response times of a check. */
export type CheckBaseline = Answer<typeof alertRuleRoutes.getBaseline>;

/** A range of time, Unix ms. */
interface Range {
  fromMs: number;
  toMs: number;
}

/** Interval in which baselines are read anew. */
const BASELINE_MS = 600_000;

const iso = (ms: number) => new Date(ms).toISOString();

/** The slots of a check in at most as many cells as asked for. */
export const slotsQuery = (id: string, { fromMs, toMs }: Range, cells: number) =>
  queryOptions({
    queryKey: ["slots", id, fromMs, toMs, cells],
    queryFn: () =>
      request<typeof resultRoutes.getSlots>("GET", "/api/checks/:id/slots", {
        params: { id },
        query: { from: iso(fromMs), to: iso(toMs), cells },
      }),
    placeholderData: (before) => before,
  });

/** Response times and outcomes of a check over time. */
export const seriesQuery = (id: string, { fromMs, toMs }: Range, by: "location" | "all") =>
  queryOptions({
    queryKey: ["series", id, fromMs, toMs, by],
    queryFn: () =>
      request<typeof resultRoutes.getSeries>("GET", "/api/checks/:id/series", {
        params: { id },
        query: { from: iso(fromMs), to: iso(toMs), by },
      }),
    placeholderData: (before) => before,
  });

/** Filter of a list of results; empty texts are left out. */
export interface ResultsFilter {
  status?: string;
  locationId?: string;
  from?: string;
  to?: string;
  before?: string;
  limit?: number;
}

/** Results of a check that match a filter, the newest first. */
export const resultsQuery = (id: string, filter: ResultsFilter) =>
  queryOptions({
    queryKey: ["results", id, filter],
    queryFn: () =>
      request<typeof resultRoutes.list>("GET", "/api/checks/:id/results", {
        params: { id },
        query: { ...filter },
      }),
    ...keptLive(SLOW_MS, { topics: ["results"], checkId: id }),
    placeholderData: (before) => before,
  });

/** A run with the results that have arrived. */
export const runQuery = (id: string, runId: string) =>
  queryOptions({
    queryKey: ["run", runId],
    queryFn: () =>
      request<typeof resultRoutes.getRun>("GET", "/api/checks/:id/runs/:runId", { params: { id, runId } }),
    refetchInterval: FAST_MS,
  });

/** The last success before a result at its location, with its evidence; null where there is none. */
export const lastSuccessQuery = (
  id: string,
  { resultId, locationId }: { resultId: string; locationId: string },
) =>
  queryOptions({
    queryKey: ["results", id, "last-success", resultId],
    queryFn: async () => {
      const { results } = await request<typeof resultRoutes.list>("GET", "/api/checks/:id/results", {
        params: { id },
        query: { status: "success", locationId, before: resultId, limit: 1, detail: "true" },
      });
      return results[0] ?? null;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Successes before a result whose times say what is usual at its location. */
const USUAL_RESULTS = 50;

/** The last successes before a result at its location, without their evidence. */
export const successesBeforeQuery = (
  id: string,
  { resultId, locationId }: { resultId: string; locationId: string },
) =>
  queryOptions({
    queryKey: ["results", id, "successes-before", resultId],
    queryFn: async () => {
      const { results } = await request<typeof resultRoutes.list>("GET", "/api/checks/:id/results", {
        params: { id },
        query: { status: "success", locationId, before: resultId, limit: USUAL_RESULTS },
      });
      return results;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Usual response times of a check, by location and hour of the week. */
export const baselineQuery = (id: string) =>
  queryOptions({
    queryKey: ["baseline", id],
    queryFn: () =>
      request<typeof alertRuleRoutes.getBaseline>("GET", "/api/checks/:id/baseline", { params: { id } }),
    // Samples of an hour are added once it is over.
    refetchInterval: BASELINE_MS,
  });
