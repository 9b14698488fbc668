/** Registers the routes that tell how a team stands as a whole. */
import { annotationRoutes, checkRoutes, overviewRoutes } from "@svc/contract";
import type { ApiApp } from "../platform/http/api.ts";
import { contextOf, serve } from "../platform/http/serve.ts";
import type { Services } from "../platform/services.ts";
import { listAnnotations } from "./annotations/list-annotations.ts";
import { Capacities } from "./capacity/capacities.ts";
import { registerCapacityRoutes } from "./capacity/routes.ts";
import { ChecksSummaries } from "./checks-summary.ts";
import { sendCompressed } from "./compressed-text.ts";
import { Overviews } from "./get-overview.ts";
import { getTeamCoverage } from "./get-team-coverage.ts";
import { SlotCounts } from "./slot-counts.ts";

/** Summaries of teams that are kept for the next who ask. One for each process. */
export interface OverviewParts {
  slotCounts: SlotCounts;
  capacities: Capacities;
  overviews: Overviews;
  summaries: ChecksSummaries;
}

/** Returns parts that keep nothing yet. */
export function createOverviewParts(): OverviewParts {
  const slotCounts = new SlotCounts();
  const capacities = new Capacities();
  return {
    slotCounts,
    capacities,
    overviews: new Overviews({ slotCounts, capacities }),
    summaries: new ChecksSummaries(),
  };
}

/** Registers the overview, the summary of checks, and annotations. */
export function registerOverviewRoutes(
  app: ApiApp,
  services: Services,
  { slotCounts, capacities, overviews, summaries }: OverviewParts = createOverviewParts(),
): void {
  registerCapacityRoutes(app, services, capacities);
  serve(app, overviewRoutes.get, async (request, reply) => {
    const context = contextOf(services, request);
    const isDisplay = request.caller.kind === "display";
    const text = await (isDisplay ? overviews.readForDisplays(context) : overviews.read(context));
    return sendCompressed(request, reply, text);
  });
  serve(app, overviewRoutes.getCoverage, async (request) =>
    getTeamCoverage(contextOf(services, request), slotCounts),
  );
  serve(app, checkRoutes.getSummary, async (request, reply) =>
    sendCompressed(request, reply, await summaries.read(contextOf(services, request), request.query.cursor)),
  );
  serve(app, annotationRoutes.list, async (request) => ({
    annotations: await listAnnotations(contextOf(services, request), request.query),
  }));
}
