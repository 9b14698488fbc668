import { counted, overviewRoutes } from "@svc/contract";
import * as z from "zod";
import { untrusted } from "../answers/untrusted.ts";
import { defineTool } from "./tool.ts";

/** Failing checks and latest entries that are named; list_failing has all. */
const NAMED_MAX = 5;

/** Tells how the team stands as a whole. */
export const getOverview = defineTool({
  type: "get_overview",
  title: "How the team stands",
  description:
    "Tells in one small answer how the team stands: checks by health, what fails, open alerts and incidents, missing slots, SLOs at risk, and what needs attention. Begin here.",
  routes: [overviewRoutes.get],
  input: z.strictObject({}),
  async run({ ctx, parts }) {
    const overview = await parts.overviews.readRecord(ctx);
    const { asOf, checks, failing, openAlerts, openIncidentCount, openIncidents, latest } = overview;
    return {
      summary: `${counted(checks.unhealthy, "check")} of ${checks.total} failing, ${counted(openIncidentCount, "open incident")}.`,
      asOf,
      checks,
      failing: failing
        .slice(0, NAMED_MAX)
        .map(({ id, name, severity, sinceAt }) => ({ id, name, severity, sinceAt })),
      openAlerts,
      unacknowledged: overview.unacknowledged,
      openIncidents: openIncidents.map(({ id, severity, state, openedAt, title, hypothesis }) => ({
        id,
        severity,
        state,
        openedAt,
        ...untrusted({ title, hypothesis }),
      })),
      slots: overview.slots,
      responseTime: overview.responseTime,
      slosAtRisk: overview.slosAtRisk,
      locations: overview.locations,
      channelsFailing: overview.channelsFailing,
      certificates: overview.certificates,
      attention: overview.attention,
      latest: latest.map(({ name, ...entry }) =>
        // The title of an incident may quote what a target said.
        entry.kind === "incident" ? { ...entry, ...untrusted({ name }) } : { ...entry, name },
      ),
    };
  },
});
