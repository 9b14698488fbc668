/** Notifies channels of the incident of a location that were added to rules while their alerts were held back because of it. */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { Failures } from "../../alerting/holds/failures.ts";
import { isActive } from "./lifecycle.ts";
import { addOutageChannels, findAddedChannels, readOutagesToTell } from "./location-outage-store.ts";
import { readMemberIds } from "./member-store.ts";
import { lockIncidents, readIncidentRows } from "./store.ts";
import { writeReports } from "./write-reports.ts";

const OUTAGES_AT_ONCE = 100;

/**
 * Notifies each channel that a rule of a held alert has named since the alert was listed in the incident, once. An outage that fails does not
 * keep the others from it. Harmless to repeat, and to run on two replicas at once.
 * @throws AggregateError of all failures, after every outage had its turn
 */
export async function notifyAddedChannels(knex: Knex, nowMs: number): Promise<void> {
  const failures = new Failures();
  let afterKey = 0;
  for (;;) {
    const outages = await readOutagesToTell(knex, { afterKey, limit: OUTAGES_AT_ONCE });
    for (const outage of outages) await failures.collect(() => notifyOf(knex, outage, nowMs));
    if (outages.length < OUTAGES_AT_ONCE) break;
    afterKey = outages.at(-1)?.key ?? 0;
  }
  failures.throwAny("notifications of added channels");
}

async function notifyOf(
  knex: Knex,
  { key, teamId }: { key: number; teamId: TeamId },
  nowMs: number,
): Promise<void> {
  await knex.transaction(async (trx) => {
    await lockIncidents(trx, teamId);
    const added = await findAddedChannels(trx, key);
    if (!added) return;
    const { incidentKey, channelIds } = added;
    const [incident] = await readIncidentRows(trx, [incidentKey]);
    if (!incident || !isActive(incident.state)) return;
    await addOutageChannels(trx, key, channelIds);
    const instanceIds = await readMemberIds(trx, incidentKey);
    const report = { type: "opened", incident, actorId: null, instanceIds, channelIds } as const;
    await writeReports(trx, [{ ...report, isForNamedAlone: true, isRecorded: true }], nowMs);
  });
}
