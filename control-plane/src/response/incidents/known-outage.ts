/** Outages of a team's locations that last, and their incidents. The caller holds the lock of the team's incidents. */
import type { AlertInstanceId, Severity, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { worstOf } from "../../alerting/evaluation/severity.ts";
import { type OutageRow, readOpenOutages } from "../../alerting/holds/outage-store.ts";
import { lockOpenOutages } from "./location-outage-store.ts";
import { readTotals } from "./member-totals-store.ts";
import type { IncidentReport } from "./report.ts";
import type { IncidentRow } from "./row.ts";
import { readIncidentRows, updateIncidents } from "./store.ts";

/** An outage that lasts, with its incident. */
export interface KnownOutage extends OutageRow {
  incident: IncidentRow;
}

/** Returns the outages of the team's locations that last, by the keys of these, and locks them. */
export async function loadOutages(trx: Knex, teamId: TeamId): Promise<Map<number, KnownOutage>> {
  await lockOpenOutages(trx, teamId);
  const outages = await readOpenOutages(trx, teamId);
  const incidents = await readIncidentRows(
    trx,
    outages.map(({ incidentKey }) => incidentKey),
  );
  const byKey = new Map(incidents.map((incident) => [incident.key, incident]));
  return new Map(
    outages.map((outage) => [
      outage.locationKey,
      { ...outage, incident: byKey.get(outage.incidentKey) as IncidentRow },
    ]),
  );
}

/** Brings the incident up to date with its members and the alerts of these severities that are listed in it; one that was quiet goes on. */
export async function withTotals(
  trx: Knex,
  before: IncidentRow,
  { severities, nowMs }: { severities: readonly Severity[]; nowMs: number },
): Promise<{ incident: IncidentRow; instanceIds: readonly AlertInstanceId[] }> {
  const totals = (await readTotals(trx, [before.key], { withSample: false })).get(before.key);
  const incident = {
    ...before,
    memberCount: totals?.memberCount ?? 0,
    openMemberCount: totals?.openCount ?? 0,
    severity: worstOf([before.severity, ...severities, ...(totals?.openSeverities ?? [])]),
    quietSince: null,
    updatedAt: new Date(nowMs).toISOString(),
  };
  await updateIncidents(trx, [incident]);
  return { incident, instanceIds: totals?.instanceIds ?? [] };
}

/** Returns the fields of the report that an incident became more severe. */
export function severityChange({ severity }: IncidentRow): Pick<IncidentReport, "type" | "detail"> {
  return { type: "severity_changed", detail: { previousSeverity: severity } };
}
