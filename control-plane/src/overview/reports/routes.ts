/** Registers the routes of monthly reports. */
import { reportRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { answerPage } from "../../platform/http/record-list.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { getReport } from "./get-report.ts";
import { getReportSubscription } from "./get-subscription.ts";
import { listReportChecks } from "./list-report-checks.ts";
import { listReports } from "./list-reports.ts";
import { setReportSubscription } from "./set-subscription.ts";

/** Registers listing the months, reading a report, listing its checks, and who is sent reports. */
export function registerReportRoutes(app: ApiApp, services: Services): void {
  serve(app, reportRoutes.list, async (request) => ({
    reports: await listReports(contextOf(services, request)),
  }));

  serve(app, reportRoutes.get, async (request) => ({
    report: await getReport(contextOf(services, request), request.params),
  }));

  serve(app, reportRoutes.listChecks, async (request, reply) => {
    const context = contextOf(services, request);
    const { teamId } = context;
    const list = await listReportChecks(context, request.params);
    return answerPage(reply, { teamId, query: request.query }, list);
  });

  serve(app, reportRoutes.getSubscription, async (request) => ({
    reportSubscription: await getReportSubscription(contextOf(services, request)),
  }));

  serve(app, reportRoutes.setSubscription, async (request) => ({
    reportSubscription: await setReportSubscription(contextOf(services, request), request.body),
  }));
}
