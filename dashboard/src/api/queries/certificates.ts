/** Reads the TLS certificates that checks see. */
import type { certificateRoutes } from "@svc/contract";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { type Answer, request } from "../request.ts";
import { SLOW_MS } from "./intervals.ts";

/** The certificate of a host as one check sees it. */
export type Certificate = Answer<typeof certificateRoutes.list>["certificates"][number];

/** The certificates, the soonest to end first, part by part. */
export const certificatesQuery = infiniteQueryOptions({
  queryKey: ["certificates"],
  queryFn: ({ pageParam }) =>
    request<typeof certificateRoutes.list>("GET", "/api/certificates", {
      query: { limit: 100, ...(pageParam !== "" && { cursor: pageParam }) },
    }),
  initialPageParam: "",
  getNextPageParam: ({ nextCursor }) => nextCursor,
  refetchInterval: SLOW_MS,
});

/** The certificates that a check sees, the soonest to end first. */
export const checkCertificatesQuery = (id: string) =>
  queryOptions({
    queryKey: ["certificates", id],
    queryFn: () =>
      request<typeof certificateRoutes.listOfCheck>("GET", "/api/checks/:id/certificates", {
        params: { id },
      }),
    refetchInterval: SLOW_MS,
  });
