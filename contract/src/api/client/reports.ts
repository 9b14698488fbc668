/** Client methods of monthly reports. */
import type {
  Report,
  ReportMonth,
  ReportSubscription,
  SetReportSubscription,
} from "../../resources/report.ts";
import type { reportRoutes } from "../reports.ts";
import type { CallRoute } from "./rest-connection.ts";

type Routes = typeof reportRoutes;

/** Returns the client methods of reports. */
export const reportMethods = (call: CallRoute) => ({
  /** Lists the months of which there is a report, newest first. */
  async listReports(): Promise<ReportMonth[]> {
    return (await call<Routes["list"]>("GET", "/api/reports")).reports;
  },
  /** Gets the report of a month, such as `2026-10`. */
  async getReport(month: string): Promise<Report> {
    return (await call<Routes["get"]>("GET", "/api/reports/:month", { params: { month } })).report;
  },
  /** Gets the channels that are sent the report of each month. */
  async getReportSubscription(): Promise<ReportSubscription> {
    return (await call<Routes["getSubscription"]>("GET", "/api/report-subscription")).reportSubscription;
  },
  async setReportSubscription(subscription: SetReportSubscription): Promise<ReportSubscription> {
    return (await call<Routes["setSubscription"]>("PUT", "/api/report-subscription", { body: subscription }))
      .reportSubscription;
  },
});
