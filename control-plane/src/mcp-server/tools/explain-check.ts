import {
  type AlertInstanceSummary,
  alertInstanceRoutes,
  analysisRoutes,
  type CheckHealth,
  type CheckId,
  counted,
  type Incident,
  incidentRoutes,
  type Result,
  resultRoutes,
} from "@svc/contract";
import * as z from "zod";
import { listInstances } from "../../alerting/instances/list-instances.ts";
import { getCheckRow } from "../../checks/get-check.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { getLastAnalysis } from "../../response/analysis/get-last-analysis.ts";
import { listIncidents } from "../../response/incidents/list-incidents.ts";
import { getResult } from "../../results/get-result.ts";
import { listCheckHealth } from "../../results/list-check-health.ts";
import { listResults } from "../../results/list-results.ts";
import { type Comparison, compareResults } from "../answers/compare-results.ts";
import { readPage } from "../answers/page.ts";
import { untrusted } from "../answers/untrusted.ts";
import { alertLine } from "../views/alert-view.ts";
import { incidentLine } from "../views/incident-view.ts";
import { resultView } from "../views/result-view.ts";
import { checkIdInput } from "./inputs.ts";
import { defineTool } from "./tool.ts";

const ALERTS_MAX = 5;
const OPEN = ["active", "acknowledged"] as const;

/** Puts together why a check fails. */
export const explainCheck = defineTool({
  type: "explain_check",
  title: "Why a check fails",
  description:
    "Puts together why a check fails and since when: its newest failing result with evidence, the comparison with the last success at that location, its open alerts, their incident with its hypothesis, and the last analysis.",
  routes: [
    resultRoutes.listHealth,
    resultRoutes.list,
    resultRoutes.get,
    alertInstanceRoutes.list,
    incidentRoutes.list,
    analysisRoutes.getLast,
  ],
  input: z.strictObject({ checkId: checkIdInput }),
  async run({ ctx }, { checkId }) {
    await getCheckRow(ctx.services.knex, ctx.teamId, checkId);
    const health = await healthOf(ctx, checkId);
    const alerts = await openAlerts(ctx, checkId);
    const { insight, stale } = await getLastAnalysis(ctx, { id: checkId });
    const failing = newestFailing(health);
    const failure = failing && (await readFailure(ctx, checkId, failing));
    return {
      summary: sentenceOf(health, failure),
      health: health?.health ?? "unknown",
      failingAt: health?.failingLocations ?? [],
      ...(failure && {
        since: failure.since,
        comparedWithLastSuccess: failure.comparison ?? "There is no success at this location any more.",
        result: resultView(failure.result),
      }),
      openAlerts: alerts.map(({ line }) => line),
      incident: await incidentOf(ctx, alerts[0]?.id),
      ...(insight && {
        lastAnalysis: {
          type: insight.type,
          severity: insight.severity,
          confidence: insight.confidence,
          generatedAt: insight.generatedAt,
          isStale: stale,
          ...untrusted({ summary: insight.summary, evidence: insight.evidence }),
        },
      }),
    };
  },
});

async function healthOf(ctx: TeamContext, checkId: CheckId): Promise<CheckHealth | undefined> {
  const list = listCheckHealth(ctx, [checkId]);
  const [row] = await list.read({ after: undefined, rowsMax: 1, offset: 0 });
  return row && (JSON.parse(list.textOf(row)) as CheckHealth);
}

/** Returns the newest result that is no success at a location that fails now. */
function newestFailing(health: CheckHealth | undefined): CheckHealth["results"][number] | undefined {
  return health?.results.findLast(
    ({ status, locationId }) => status !== "success" && health.failingLocations.includes(locationId),
  );
}

interface Failure {
  result: Result;
  /** Slot of the first failure after the last success; undefined: there is no success. */
  since: string | undefined;
  comparison: Comparison | undefined;
}

async function readFailure(
  ctx: TeamContext,
  checkId: CheckId,
  { id: resultId, locationId }: CheckHealth["results"][number],
): Promise<Failure> {
  const { result } = await getResult(ctx, { checkId, resultId });
  const successes = await listResults(ctx, {
    checkId,
    begin: undefined,
    limit: 1,
    offset: 0,
    withDetail: false,
    filter: {
      status: "success",
      locationId,
      category: undefined,
      slowerThanMs: undefined,
      from: undefined,
      to: undefined,
      before: resultId,
    },
  });
  const [lastSuccess] = await successes.read(undefined, 1);
  if (!lastSuccess) return { result, since: undefined, comparison: undefined };
  const { nextId } = await getResult(ctx, { checkId, resultId: lastSuccess.id });
  const first = nextId === null ? result : (await getResult(ctx, { checkId, resultId: nextId })).result;
  return { result, since: first.slotAt, comparison: compareResults(result, lastSuccess) };
}

async function openAlerts(ctx: TeamContext, checkId: CheckId) {
  const list = listInstances(ctx, {
    state: [...OPEN],
    severity: undefined,
    checkId,
    label: undefined,
    from: undefined,
    to: undefined,
  });
  const { records } = await readPage<unknown, AlertInstanceSummary>({
    list: list as never,
    limit: ALERTS_MAX,
    next: undefined,
    view: (alert) => ({ id: alert.id, line: alertLine(alert) }),
  });
  return records as { id: AlertInstanceSummary["id"]; line: Record<string, unknown> }[];
}

async function incidentOf(ctx: TeamContext, alertId: string | undefined) {
  if (alertId === undefined) return null;
  const list = listIncidents(ctx, { state: undefined, alertId });
  const [row] = await list.read({ after: undefined, rowsMax: 1, offset: 0 });
  return row ? incidentLine(JSON.parse(list.textOf(row)) as Incident) : null;
}

function sentenceOf(health: CheckHealth | undefined, failure: Failure | undefined): string {
  if (!health || health.health === "unknown") return "The check has no recent result.";
  if (!failure) return "The check does not fail now.";
  const { status, errorCategory } = failure.result;
  const since = failure.since ? ` since ${failure.since}` : ", as far back as results are kept";
  return `Fails at ${counted(health.failingLocations.length, "location")}${since}; the newest result is a ${status}${errorCategory ? ` (${errorCategory})` : ""}.`;
}
