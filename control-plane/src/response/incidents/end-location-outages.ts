/** Judges the outages of locations anew, and ends those that are over. */
import type { Knex } from "knex";
import { cutOffId } from "../../alerting/holds/cut-off.ts";
import { Failures } from "../../alerting/holds/failures.ts";
import { findCutOff } from "../../alerting/holds/find-cut-off.ts";
import {
  confirmOutages,
  endOutage,
  LASTING_MS,
  type OutageRow,
  type OutageToJudge,
  readOutagesToJudge,
} from "../../alerting/holds/outage-store.ts";
import { isActive } from "./lifecycle.ts";
import { lockIncidents, readIncidentRows, updateIncidents } from "./store.ts";
import { writeReports } from "./write-reports.ts";

/** Age of a judgement from which on an outage is judged again: less than the job's interval. */
const JUDGED_EVERY_MS = 4_000;
const OUTAGES_AT_ONCE = 100;

interface Round {
  knex: Knex;
  nowMs: number;
  failures: Failures;
}

/**
 * Judges the outages that are due, and ends those that are over: that were not found to last for a while, and because of which no alert is
 * held back any more. One that can't be judged or ended does not keep the others from it. Harmless to repeat, and to run on two replicas at
 * once.
 * @throws AggregateError of all failures, after every outage had its turn
 */
export async function endLocationOutages(
  knex: Knex,
  nowMs: number,
  outagesAtOnce = OUTAGES_AT_ONCE,
): Promise<void> {
  const round = { knex, nowMs, failures: new Failures() };
  let afterKey = 0;
  for (;;) {
    const page = { beforeMs: nowMs - JUDGED_EVERY_MS, afterKey, limit: outagesAtOnce };
    const due = await readOutagesToJudge(knex, page);
    await judge(round, due);
    if (due.length < outagesAtOnce) break;
    afterKey = due.at(-1)?.key ?? 0;
  }
  round.failures.throwAny("judgements of outages of locations");
}

/** Judges these outages together; where that fails, each alone. One that can't be judged is left as it is, and holds alerts for seconds only. */
async function judge(round: Round, due: readonly OutageToJudge[]): Promise<void> {
  if (due.length === 0) return;
  const { knex, nowMs, failures } = round;
  const asked = due.map(({ teamId, locationKey }) => ({ teamId, locationKey, atMs: nowMs }));
  const cutOff = new Set<string>();
  const isJudged = await failures.collect(async () => {
    for (const location of await findCutOff(knex, asked)) cutOff.add(cutOffId(location));
  });
  if (!isJudged) {
    if (due.length > 1) for (const outage of due) await judge(round, [outage]);
    return;
  }
  const lasting = due.filter((outage) => cutOff.has(cutOffId(outage))).map(({ key }) => key);
  await failures.collect(() => confirmOutages(knex, lasting, nowMs));
  for (const outage of due)
    if (!cutOff.has(cutOffId(outage)) && nowMs - outage.judgedAtMs >= LASTING_MS && !outage.hasHeldAlerts)
      await failures.collect(() => endOne(knex, outage, nowMs));
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
