/** Folds incidents of alerts that began before their location was known to be cut off, and were taken in after its own incident had begun. */
import type { Knex } from "knex";
import type { QueuedAlert } from "../../outbox/incident-queue-store.ts";
import { foldIntoIncident } from "./fold-incidents.ts";
import { type KnownOutage, loadOutages, severityChange, withTotals } from "./known-outage.ts";
import { isActive } from "./lifecycle.ts";
import { addOutageChannels } from "./location-outage-store.ts";
import type { IncidentReport } from "./report.ts";
import type { TeamBatch } from "./team-batch.ts";
import { writeReports } from "./write-reports.ts";

/** Folds the incidents of the alerts that begin into those of locations whose outage lasts, where they belong there. */
export async function foldIntoOutages(
  trx: Knex,
  batch: TeamBatch,
  beginning: readonly Pick<QueuedAlert, "payload">[],
): Promise<void> {
  if (beginning.length === 0) return;
  const startedAtMs = Math.min(...beginning.map(({ payload }) => Date.parse(payload.startedAt)));
  for (const outage of (await loadOutages(trx, batch.teamId)).values())
    if (isActive(outage.incident.state)) await foldIntoOutage(trx, batch, { outage, startedAtMs });
}

/** Only channels that have not heard of the location's incident are notified, unless an alert is more severe. */
async function foldIntoOutage(
  trx: Knex,
  batch: TeamBatch,
  { outage, startedAtMs }: { outage: KnownOutage; startedAtMs: number },
): Promise<void> {
  const { incident: before, locationId } = outage;
  const moved = await foldIntoIncident(trx, batch, {
    targetKey: before.key,
    locationId,
    startedAtMs,
    heldBackSinceMs: Date.parse(outage.beganAt),
  });
  if (moved.length === 0) return;
  const { incident, instanceIds } = await withTotals(trx, before, { severities: [], nowMs: batch.nowMs });
  const named = new Set(moved.flatMap(({ channelIds }) => channelIds));
  const channelIds = [...named].filter((id) => !outage.channelIds.includes(id));
  await addOutageChannels(trx, outage.key, channelIds);
  const alerts = moved.map(({ alert }) => alert);
  const report = { incident, actorId: null, instanceIds, channelIds, alerts };
  const reports: IncidentReport[] = [{ ...report, type: "alert_attached", isForNamedAlone: true }];
  if (incident.severity !== before.severity) reports.push({ ...report, ...severityChange(before) });
  await writeReports(trx, reports, batch.nowMs);
}
