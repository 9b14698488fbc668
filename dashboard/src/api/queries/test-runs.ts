/** Begins test runs, and reads how they go. */
import type { testRunRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { type Answer, request } from "../request.ts";

/** A test run as the API answers it. */
export type ShownTestRun = Answer<typeof testRunRoutes.get>["testRun"];

/** Interval at which one is read that is under way. */
const OPEN_MS = 400;

/** True once nothing of it can change any more. */
export function hasEnded({ locations }: ShownTestRun): boolean {
  return locations.every(({ phase }) => phase === "done" || phase === "failed");
}

/** How a test run goes, read anew until it has ended. @param id null: there is none yet */
export const testRunQuery = (id: string | null) =>
  queryOptions({
    queryKey: ["test run", id],
    queryFn: () =>
      request<typeof testRunRoutes.get>("GET", "/api/test-runs/:id", { params: { id: id ?? "" } }),
    enabled: id !== null,
    refetchInterval: ({ state: { data, error } }) =>
      error || (data && hasEnded(data.testRun)) ? false : OPEN_MS,
    staleTime: Number.POSITIVE_INFINITY,
    retry: 2,
  });
