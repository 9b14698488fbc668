/** Reads locations, their runners and keys, and what is missing there. */
import type { locationRoutes, overviewRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { allParts, partQuery } from "../all-parts.ts";
import { type Answer, request } from "../request.ts";
import { FAST_MS, keptLive, SLOW_MS } from "./intervals.ts";

/** A location. */
export type Location = Answer<typeof locationRoutes.list>["locations"][number];
/** A runner of one of the team's locations. */
export type Runner = Answer<typeof locationRoutes.listTeamRunners>["runners"][number];
/** The times at which runners were connected to a location. */
export type Presence = Answer<typeof locationRoutes.getPresence>;
/** The slots of the last day by location. */
export type TeamCoverage = Answer<typeof overviewRoutes.getCoverage>;

/** Interval of the counts of slots: the service keeps those of large teams for that long. */
const COVERAGE_MS = 60_000;

/** The locations that the team can use. */
export const locationsQuery = queryOptions({
  queryKey: ["locations"],
  queryFn: () => request<typeof locationRoutes.list>("GET", "/api/locations"),
  ...keptLive(SLOW_MS, { topics: ["location", "change"] }),
});

/** All locations that the team can see, with those that are no longer offered. */
export const everyLocationQuery = queryOptions({
  queryKey: ["locations", "every"],
  queryFn: () =>
    request<typeof locationRoutes.list>("GET", "/api/locations", { query: { include_deprecated: "true" } }),
  ...keptLive(SLOW_MS, { topics: ["location", "change"] }),
});

/** The runners of all the team's private locations. */
export const runnersQuery = queryOptions({
  queryKey: ["runners"],
  queryFn: () =>
    allParts(
      (cursor) =>
        request<typeof locationRoutes.listTeamRunners>("GET", "/api/runners", { query: partQuery(cursor) }),
      (part) => part.runners,
    ),
  refetchInterval: FAST_MS,
});

/** The runners of a private location. @param everyMs time between two reads */
export const runnersOfLocationQuery = (id: string, everyMs: number = FAST_MS) =>
  queryOptions({
    queryKey: ["runners", id],
    queryFn: () =>
      request<typeof locationRoutes.listRunners>("GET", "/api/locations/:id/runners", { params: { id } }),
    refetchInterval: everyMs,
  });

/** When runners were connected to a private location, over the last 7 days. */
export const presenceQuery = (id: string) =>
  queryOptions({
    queryKey: ["presence", id],
    queryFn: () =>
      request<typeof locationRoutes.getPresence>("GET", "/api/locations/:id/presence", {
        params: { id },
        query: { range: "7d" },
      }),
    refetchInterval: SLOW_MS,
  });

/** The runner keys of a private location. */
export const runnerKeysQuery = (id: string) =>
  queryOptions({
    queryKey: ["runner keys", id],
    queryFn: () =>
      request<typeof locationRoutes.listKeys>("GET", "/api/locations/:id/keys", { params: { id } }),
    refetchInterval: SLOW_MS,
  });

/** The slots of all checks of the last 24 hours, by location. */
export const teamCoverageQuery = queryOptions({
  queryKey: ["coverage"],
  queryFn: () => request<typeof overviewRoutes.getCoverage>("GET", "/api/coverage"),
  refetchInterval: COVERAGE_MS,
});
