/** The tools of the MCP server, in the order in which clients see them. */
import { defineFamily } from "@svc/contract";
import { acknowledgeAlert } from "./acknowledge-alert.ts";
import { changeIncident } from "./change-incident.ts";
import { explainCheck } from "./explain-check.ts";
import { findChecks } from "./find-checks.ts";
import { getAlert } from "./get-alert.ts";
import { getCheck } from "./get-check.ts";
import { getCoverage } from "./get-coverage.ts";
import { getIncident } from "./get-incident.ts";
import { getOverview } from "./get-overview.ts";
import { getResult } from "./get-result.ts";
import { getRun } from "./get-run.ts";
import { getSlo } from "./get-slo.ts";
import { listAlerts } from "./list-alerts.ts";
import { listChanges } from "./list-changes.ts";
import { listDeployments } from "./list-deployments.ts";
import { listFailing } from "./list-failing.ts";
import { listIncidents } from "./list-incidents.ts";
import { listNotifications } from "./list-notifications.ts";
import { listResults } from "./list-results.ts";
import { listSlos } from "./list-slos.ts";
import { muteAlert } from "./mute-alert.ts";
import { proposeConfig } from "./propose-config.ts";
import { readEvidence } from "./read-evidence.ts";
import { resolveAlert } from "./resolve-alert.ts";
import { runCheck } from "./run-check.ts";
import { unmuteAlert } from "./unmute-alert.ts";

/** Every tool, those that only read first. */
export const mcpTools = defineFamily("MCP tool", [
  getOverview,
  listFailing,
  explainCheck,
  findChecks,
  getCheck,
  listResults,
  getResult,
  readEvidence,
  getRun,
  listAlerts,
  getAlert,
  listIncidents,
  getIncident,
  changeIncident,
  listNotifications,
  getCoverage,
  listSlos,
  getSlo,
  listChanges,
  listDeployments,
  proposeConfig,
  runCheck,
  acknowledgeAlert,
  resolveAlert,
  muteAlert,
  unmuteAlert,
]);
