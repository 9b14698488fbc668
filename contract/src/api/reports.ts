/** Routes of monthly reports. */
import * as z from "zod";
import { nextCursorField } from "../base/list-page.ts";
import {
  reportCheckSchema,
  reportChecksQuerySchema,
  reportMonthSchema,
  reportMonthSummarySchema,
  reportSchema,
  reportSubscriptionSchema,
  setReportSubscriptionSchema,
} from "../resources/report.ts";
import { defineRoute } from "./route.ts";

const tag = "Reports";
const params = z.object({ month: reportMonthSchema });

/** Routes of reports, by operation. */
export const reportRoutes = {
  list: defineRoute({
    method: "GET",
    path: "/api/reports",
    access: "reads",
    isReport: true,
    tag,
    summary: "List the months of which there is a report, newest first",
    answer: z.object({ reports: z.array(reportMonthSummarySchema) }),
  }),
  get: defineRoute({
    method: "GET",
    path: "/api/reports/:month",
    access: "reads",
    isReport: true,
    tag,
    summary: "Report on a calendar month in UTC: availability, error budgets, incidents, slots accounted for",
    description: [
      "Days are counted about three hours after their end, so the report of a month that is under way ends with yesterday. Maintenance is left out,",
      "as SLOs do, and time that was not measured is never counted as up. A month that has not begun is answered 400, one before the team was created 404.",
    ].join(" "),
    params,
    answer: z.object({ report: reportSchema }),
  }),
  listChecks: defineRoute({
    method: "GET",
    path: "/api/reports/:month/checks",
    access: "reads",
    isReport: true,
    tag,
    summary: "List the checks of a month's report, the least available first",
    params,
    query: reportChecksQuerySchema,
    answer: z.object({
      checks: z.array(reportCheckSchema),
      limit: z.number(),
      offset: z.number(),
      ...nextCursorField,
    }),
  }),
  getSubscription: defineRoute({
    method: "GET",
    path: "/api/report-subscription",
    access: "reads",
    tag,
    summary: "Get the channels that are sent the report of each month",
    answer: z.object({ reportSubscription: reportSubscriptionSchema }),
    versioned: "reportSubscription",
  }),
  setSubscription: defineRoute({
    method: "PUT",
    path: "/api/report-subscription",
    access: "changes",
    tag,
    summary: "Set the channels that are sent the report of each month",
    description: "Channels of the type email alone; others are answered 400. No channels end it.",
    body: setReportSubscriptionSchema,
    answer: z.object({ reportSubscription: reportSubscriptionSchema }),
    acceptsIfMatch: true,
  }),
};
