/** Reads monthly reports. Their figures change once a day. */
import type { reportRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { type Answer, request, requestRecord } from "../request.ts";
import { READ_ONCE } from "./intervals.ts";

/** A month of which there is a report. */
export type ReportMonth = Answer<typeof reportRoutes.list>["reports"][number];
/** A monthly report. */
export type Report = Answer<typeof reportRoutes.get>["report"];

/** The months of which there is a report, newest first. */
export const reportsQuery = queryOptions({
  queryKey: ["reports"],
  queryFn: () => request<typeof reportRoutes.list>("GET", "/api/reports"),
});

/** The report of a month. */
export const reportQuery = (month: string) =>
  queryOptions({
    queryKey: ["report", month],
    queryFn: () => request<typeof reportRoutes.get>("GET", "/api/reports/:month", { params: { month } }),
  });

/** Query of the channels that are sent the report of each month, to be edited, with its version. */
export const reportSubscriptionQuery = queryOptions({
  queryKey: ["report subscription"],
  queryFn: () => requestRecord<typeof reportRoutes.getSubscription>("GET", "/api/report-subscription"),
  ...READ_ONCE,
});
