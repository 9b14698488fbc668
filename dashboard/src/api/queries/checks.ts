/** Reads a check and its results. */
import type { changeRoutes, checkRoutes, labelRoutes, resultRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { request, requestRecord } from "../request.ts";
import { FAST_MS, keptLive, READ_ONCE } from "./intervals.ts";

/** A check with its newest results. */
export const checkQuery = (id: string) =>
  queryOptions({
    queryKey: ["check", id],
    queryFn: () =>
      request<typeof checkRoutes.get>("GET", "/api/checks/:id", {
        params: { id },
        query: { secrets: "masked" },
      }),
    ...keptLive(FAST_MS, { topics: ["results", "states", "change"], checkId: id }),
  });

/** A check to be edited, with its version: with bodies and scripts, and `***` for each credential. */
export const editedCheckQuery = (id: string) =>
  queryOptions({
    queryKey: ["edited check", id],
    queryFn: async () => {
      const params = { id };
      const [record, { labels }] = await Promise.all([
        requestRecord<typeof checkRoutes.get>("GET", "/api/checks/:id", {
          params,
          query: { secrets: "masked_credentials" },
        }),
        request<typeof labelRoutes.listOfCheck>("GET", "/api/checks/:id/labels", { params }),
      ]);
      return { ...record, labels };
    },
    ...READ_ONCE,
  });

/** A check to be duplicated: with bodies and scripts, `***` for each credential, and its labels. */
export const duplicatedCheckQuery = (id: string) =>
  queryOptions({
    queryKey: ["duplicated check", id],
    queryFn: async () => {
      const params = { id };
      const [{ check }, { labels }] = await Promise.all([
        request<typeof checkRoutes.get>("GET", "/api/checks/:id", {
          params,
          query: { secrets: "masked_credentials" },
        }),
        request<typeof labelRoutes.listOfCheck>("GET", "/api/checks/:id/labels", { params }),
      ]);
      return { check, labels };
    },
    ...READ_ONCE,
  });

/** The newest changes of a check that is to be as before one of them. */
export const changesToUndoQuery = (id: string) =>
  queryOptions({
    queryKey: ["changes to undo", id],
    queryFn: () =>
      request<typeof changeRoutes.list>("GET", "/api/changes", { query: { resourceId: id, limit: 100 } }),
    ...READ_ONCE,
  });

/** A result with its evidence. */
export const resultQuery = (id: string, resultId: string) =>
  queryOptions({
    queryKey: ["result", resultId],
    queryFn: () =>
      request<typeof resultRoutes.get>("GET", "/api/checks/:id/results/:resultId", {
        params: { id, resultId },
      }),
  });
