/** Judges the outages of locations anew, and ends those that are over. */
import type { Knex } from "knex";
import { cutOffId } from "../../alerting/holds/cut-off.ts";
import { findCutOff } from "../../alerting/holds/find-cut-off.ts";
import {
  confirmOutages,
  endOutage,
  type OutageRow,
  readOutagesToJudge,
} from "../../alerting/holds/outage-store.ts";
import { isDatabaseUnavailable } from "../../platform/db/errors.ts";
import { isActive } from "./lifecycle.ts";
import { lockIncidents, readIncidentRows, updateIncidents } from "./store.ts";
import { writeReports } from "./write-reports.ts";

/** Time between two judgements of an outage. */
const JUDGED_EVERY_MS = 5_000;
/** Most outages of one round: those that were judged longest ago. */
const OUTAGES_MAX = 100;

/**
 * Judges the outages that are due. One that can't be ended does not keep the others from it. Harmless to repeat, and to run on two replicas at
 * once.
 * @throws AggregateError of all failures, after every outage had its turn
 */
export async function endLocationOutages(knex: Knex, nowMs: number): Promise<void> {
  const due = await readOutagesToJudge(knex, { beforeMs: nowMs - JUDGED_EVERY_MS, limit: OUTAGES_MAX });
  if (due.length === 0) return;
  const cutOff = new Set(
    (
      await findCutOff(
        knex,
        due.map(({ teamId, locationKey }) => ({ teamId, locationKey, atMs: nowMs })),
      )
    ).map(cutOffId),
  );
  const lasting = due.filter((outage) => cutOff.has(cutOffId(outage)));
  await confirmOutages(
    knex,
    lasting.map(({ key }) => key),
    nowMs,
  );
  const errors: unknown[] = [];
  for (const outage of due.filter((one) => !cutOff.has(cutOffId(one))))
    try {
      await endOne(knex, outage, nowMs);
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      errors.push(error);
    }
  if (errors.length > 0)
    throw new AggregateError(errors, `${errors.length} outages of locations could not be ended`);
}

/** Ends the outage. Its incident is resolved once its cool-down has passed; pages and tickets end at once, unless a member is open. */
async function endOne(
  knex: Knex,
  { key, teamId, incidentKey, channelIds }: OutageRow,
  nowMs: number,
): Promise<void> {
  await knex.transaction(async (trx) => {
    await lockIncidents(trx, teamId);
    if (!(await endOutage(trx, key, nowMs))) return;
    const [row] = await readIncidentRows(trx, [incidentKey]);
    if (!row || !isActive(row.state) || row.openMemberCount > 0) return;
    const now = new Date(nowMs).toISOString();
    const incident = { ...row, quietSince: now, updatedAt: now };
    await updateIncidents(trx, [incident]);
    await writeReports(
      trx,
      [{ type: "members_recovered", incident, actorId: null, instanceIds: [], channelIds }],
      nowMs,
    );
  });
}
