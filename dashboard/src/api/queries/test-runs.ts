/** Begins test runs, and reads how they go. */
import type { testRunRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { type Answer, RequestError, request } from "../request.ts";

/** A test run as the API answers it. */
export type ShownTestRun = Answer<typeof testRunRoutes.get>["testRun"];

/** Interval at which one is read that is under way, and while the service gives no answer. */
const OPEN_MS = 400;
const AWAY_MS = 2_000;

/** True once nothing of it can change any more. */
export function hasEnded({ locations }: ShownTestRun): boolean {
  return locations.every(({ phase }) => phase === "done" || phase === "failed");
}

/** True for a failure of the service or the network: asking again may help. */
export function isPassing(error: unknown): boolean {
  return !(error instanceof RequestError) || error.status === 0 || error.status >= 500;
}

/** How a test run goes, read anew until it has ended, by a tab that is seen. @param id null: there is none yet */
export const testRunQuery = (id: string | null) =>
  queryOptions({
    queryKey: ["test run", id],
    queryFn: () =>
      request<typeof testRunRoutes.get>("GET", "/api/test-runs/:id", { params: { id: id ?? "" } }),
    enabled: id !== null,
    refetchInterval: ({ state: { data, error } }) => {
      if (error) return isPassing(error) ? AWAY_MS : false;
      return data && hasEnded(data.testRun) ? false : OPEN_MS;
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
