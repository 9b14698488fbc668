import type { Knex } from "knex";
import { worstOf } from "../../alerting/evaluation/severity.ts";
import { loadHypothesisInputs } from "../hypothesis/load-input.ts";
import { describe, hypothesisSubjectOf } from "./describe.ts";
import { readLocationIncidents } from "./location-outage-store.ts";
import { insertMembers } from "./member-store.ts";
import { readTotals } from "./member-totals-store.ts";
import { type AlertGroup, type BeginningBatch, memberRow } from "./profiled-alert.ts";
import type { IncidentReport } from "./report.ts";
import type { IncidentRow } from "./row.ts";
import { readIncidentRows, updateIncidents } from "./store.ts";
import { writeReports } from "./write-reports.ts";

/** Adds the alerts of each group to its incident, describes the incidents anew, and reports the changes. */
export async function joinIncidents(
  trx: Knex,
  batch: BeginningBatch,
  groups: readonly AlertGroup[],
): Promise<void> {
  if (groups.length === 0) return;
  const { failing, moved, nowMs } = batch;
  const keys = groups.map(({ key }) => key);
  const before = new Map((await readIncidentRows(trx, keys)).map((row) => [row.key, row]));
  await insertMembers(
    trx,
    groups.flatMap(({ key, alerts }) =>
      alerts.map((alert, i) => memberRow(alert, key, (before.get(key)?.memberCount ?? 0) + i + 1)),
    ),
  );
  const totals = await readTotals(trx, keys);
  const subjects = [...totals.values()].map(hypothesisSubjectOf);
  const hypothesisInputOf = await loadHypothesisInputs(trx, batch, { subjects, failing });
  const ofLocations = await readLocationIncidents(trx, keys);
  const reports: IncidentReport[] = [];
  const changed: IncidentRow[] = [];
  for (const { key, alerts } of groups) {
    const row = before.get(key);
    const members = totals.get(key);
    if (!row || !members) continue;
    const hypothesisInput = hypothesisInputOf(hypothesisSubjectOf(members));
    const description = describe({ members, hypothesisInput, severityBefore: row.severity });
    const incident = {
      ...row,
      ...description,
      ...(ofLocations.has(key) && wordsOf(row)),
      ...(ofLocations.get(key)?.isOut && { severity: worstOf([row.severity, description.severity]) }),
      quietSince: null,
      updatedAt: new Date(nowMs).toISOString(),
    };
    const { instanceIds, channelIds } = members;
    const report = { incident, instanceIds, channelIds, actorId: null };
    changed.push(incident);
    reports.push({ ...report, type: "alert_attached", alerts: [...(moved.get(key) ?? []), ...alerts] });
    if (incident.severity !== row.severity)
      reports.push({ ...report, type: "severity_changed", detail: { previousSeverity: row.severity } });
  }
  await updateIncidents(trx, changed);
  await writeReports(trx, reports, nowMs);
}

/** Returns the columns of a location's own incident that members don't change. */
function wordsOf({ title, dimensions, fingerprintHash, hypothesis }: IncidentRow) {
  return { title, dimensions, fingerprintHash, hypothesis };
}
