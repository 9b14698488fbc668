/** Reads which share of the runners of locations is taken. */
import type { capacityRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { type Answer, type RequestParts, request } from "../request.ts";
import { keptLive, SLOW_MS } from "./intervals.ts";

/** A change of a check, as a preview takes it. */
export type CapacityChange = NonNullable<
  RequestParts<typeof capacityRoutes.preview>["body"]
>["changes"][number];
/** A location's capacity. */
export type LocationCapacity = Answer<typeof capacityRoutes.get>["locations"][number];

/** The capacity of all locations. */
export const capacityQuery = queryOptions({
  queryKey: ["capacity"],
  queryFn: () => request<typeof capacityRoutes.get>("GET", "/api/capacity"),
  ...keptLive(SLOW_MS, { topics: ["location", "change"] }),
});

/** The capacity of a location, with the checks that take most of it. */
export const capacityOfLocationQuery = (id: string) =>
  queryOptions({
    queryKey: ["capacity", id],
    queryFn: () =>
      request<typeof capacityRoutes.getOfLocation>("GET", "/api/locations/:id/capacity", { params: { id } }),
    ...keptLive(SLOW_MS, { topics: ["location", "change"] }),
  });

/** What changes of checks would do. */
export const capacityPreviewQuery = (changes: readonly CapacityChange[]) =>
  queryOptions({
    queryKey: ["capacity preview", changes],
    queryFn: () =>
      request<typeof capacityRoutes.preview>("POST", "/api/capacity/preview", {
        body: { changes: [...changes] },
      }),
    staleTime: SLOW_MS,
    retry: false,
  });
