/** Judges the outages of locations anew, and ends those that are over. */
import type { Knex } from "knex";
import { decideOutage } from "../../alerting/holds/decide-outage.ts";
import { Failures } from "../../alerting/holds/failures.ts";
import { readReachOverTime } from "../../alerting/holds/find-cut-off.ts";
import {
  confirmOutages,
  endOutage,
  markReached,
  type OutageRow,
  type OutageToJudge,
  readOutagesToJudge,
} from "../../alerting/holds/outage-store.ts";
import { answerOf, type ReachOverTime } from "../../alerting/holds/reach.ts";
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
 * Judges the outages that are due, and ends those that are over: whose location has reached targets again for a while, or of whose
 * location nothing is known for too long, and because of which no alert is held back any more. One that can't be judged or ended does not keep the others from it. Harmless to repeat, and to run on two replicas at
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
    const page = { nowMs, beforeMs: nowMs - JUDGED_EVERY_MS, afterKey, limit: outagesAtOnce };
    const due = await readOutagesToJudge(knex, page);
    await judge(round, due);
    if (due.length < outagesAtOnce) break;
    afterKey = due.at(-1)?.key ?? 0;
  }
  round.failures.throwAny("judgements of outages of locations");
}

/** Judges these outages together; where that fails, each alone. One that can't be judged is left as it is. */
async function judge(round: Round, due: readonly OutageToJudge[]): Promise<void> {
  if (due.length === 0) return;
  const { knex, nowMs, failures } = round;
  const asked = due.map(({ teamId, locationKey }) => ({ teamId, locationKey, atMs: nowMs }));
  let reaches: readonly ReachOverTime[] = [];
  const isJudged = await failures.collect(async () => {
    reaches = await readReachOverTime(knex, asked);
  });
  if (!isJudged) {
    if (due.length > 1) for (const outage of due) await judge(round, [outage]);
    return;
  }
  const decided = due.map((outage, index) => {
    const reach = reaches[index] as ReachOverTime;
    const answer = answerOf(reach, outage.networks);
    return { outage, reach, decision: decideOutage({ ...outage, answer }, nowMs) };
  });
  const confirmed = decided.filter(({ decision }) => decision.kind === "confirm");
  const lasting = confirmed.map(({ outage: { key }, reach }) => ({
    key,
    networks: [...reach.recent.unreached],
  }));
  await failures.collect(() => confirmOutages(knex, lasting, nowMs));
  const reached = decided.filter(({ decision }) => decision.kind === "mark_reached");
  const keys = reached.map(({ outage }) => outage.key);
  await failures.collect(() => markReached(knex, keys, nowMs));
  for (const { outage, decision } of decided)
    if (decision.kind === "end") {
      const { isRecovery } = decision;
      await failures.collect(() => endOne(knex, outage, { isRecovery, nowMs }));
    }
}

/**
 * Ends the outage. Its incident is resolved once its cool-down has passed; after a recovery pages and tickets end at once, unless a member is
 * open.
 */
async function endOne(
  knex: Knex,
  { key, teamId, incidentKey, channelIds }: OutageRow,
  { isRecovery, nowMs }: { isRecovery: boolean; nowMs: number },
): Promise<void> {
  await knex.transaction(async (trx) => {
    await lockIncidents(trx, teamId);
    if (!(await endOutage(trx, key, nowMs))) return;
    const [row] = await readIncidentRows(trx, [incidentKey]);
    if (!row || !isActive(row.state) || row.openMemberCount > 0) return;
    const now = new Date(nowMs).toISOString();
    const incident = { ...row, quietSince: now, updatedAt: now };
    await updateIncidents(trx, [incident]);
    if (!isRecovery) return;
    await writeReports(
      trx,
      [{ type: "members_recovered", incident, actorId: null, instanceIds: [], channelIds }],
      nowMs,
    );
  });
}
