/** Reads status pages and their notices. */
import type { statusPageRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { request, requestRecord } from "../request.ts";
import { READ_ONCE, SLOW_MS } from "./intervals.ts";

/** The team's status pages. */
export const statusPagesQuery = queryOptions({
  queryKey: ["status pages"],
  queryFn: () => request<typeof statusPageRoutes.list>("GET", "/api/status-pages"),
  refetchInterval: SLOW_MS,
});

/** A status page to be edited, with its version. */
export const editedStatusPageQuery = (id: string) =>
  queryOptions({
    queryKey: ["edited status page", id],
    queryFn: () =>
      requestRecord<typeof statusPageRoutes.get>("GET", "/api/status-pages/:id", { params: { id } }),
    ...READ_ONCE,
  });

/** The newest notices of a status page. */
export const noticesQuery = (id: string) =>
  queryOptions({
    queryKey: ["status notices", id],
    queryFn: () =>
      request<typeof statusPageRoutes.listNotices>("GET", "/api/status-pages/:id/notices", {
        params: { id },
        query: { limit: 100 },
      }),
    refetchInterval: SLOW_MS,
  });

/** A notice of a status page. */
export const noticeQuery = (id: string, noticeId: string) =>
  queryOptions({
    queryKey: ["status notice", id, noticeId],
    queryFn: () =>
      request<typeof statusPageRoutes.getNotice>("GET", "/api/status-pages/:id/notices/:noticeId", {
        params: { id, noticeId },
      }),
    refetchInterval: SLOW_MS,
  });

/** A notice to be edited, with its version. */
export const editedNoticeQuery = (id: string, noticeId: string) =>
  queryOptions({
    queryKey: ["edited status notice", id, noticeId],
    queryFn: () =>
      requestRecord<typeof statusPageRoutes.getNotice>("GET", "/api/status-pages/:id/notices/:noticeId", {
        params: { id, noticeId },
      }),
    ...READ_ONCE,
  });

/** The newest subscribers of a status page. */
export const subscribersQuery = (id: string) =>
  queryOptions({
    queryKey: ["status subscribers", id],
    queryFn: () =>
      request<typeof statusPageRoutes.listSubscribers>("GET", "/api/status-pages/:id/subscribers", {
        params: { id },
        query: { limit: 100 },
      }),
    refetchInterval: SLOW_MS,
  });
