/** Finds the SLOs whose error budget is nearly spent, or is being spent faster than it may be. */
import { DAY_MS, HOUR_MS, type Overview, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { burnRateOf } from "../alerting/slos/burn-rate.ts";
import { countSlos } from "../alerting/slos/count-slos.ts";
import { NO_COUNTS } from "../alerting/slos/result-counts.ts";
import type { ActiveSlo } from "../alerting/slos/store.ts";
import { activeSlos } from "../alerting/slos/store.ts";
import { bucketOf } from "../results/rollups/buckets.ts";

/** Most SLOs of a team that are judged, the newest. */
const JUDGED_MAX = 100;
const LISTED_MAX = 3;
/** Share of the error budget below which an SLO is at risk. */
const BUDGET_MIN = 0.25;
/** Pace above which the budget ends before its window does. */
const PACE_MAX = 1;

/** Judges the team's enabled SLOs by their budget and by the pace of the last hour. */
export async function readSlosAtRisk(
  db: Knex,
  teamId: TeamId,
  nowMs: number,
): Promise<Overview["slosAtRisk"]> {
  const slos = await activeSlos(db)
    .where("slos.teamId", teamId)
    .orderBy("slos.key", "desc")
    .limit(JUDGED_MAX)
    .castTo<ActiveSlo[]>();
  const counts = await countSlos(
    db,
    slos.flatMap((slo) => [
      { slo, fromMs: bucketOf(nowMs - slo.windowDays * DAY_MS), toMs: nowMs },
      { slo, fromMs: nowMs - HOUR_MS, toMs: nowMs },
    ]),
  );
  const atRisk = slos
    .map(({ id, name, targetBasisPoints }, i) => ({
      id,
      name,
      budgetLeft: Math.max(0, 1 - burnRateOf(counts[2 * i] ?? NO_COUNTS, targetBasisPoints)),
      burnRate1h: burnRateOf(counts[2 * i + 1] ?? NO_COUNTS, targetBasisPoints),
    }))
    .filter(({ budgetLeft, burnRate1h }) => budgetLeft < BUDGET_MIN || burnRate1h > PACE_MAX)
    .sort((a, b) => a.budgetLeft - b.budgetLeft || b.burnRate1h - a.burnRate1h);
  return { count: atRisk.length, judged: slos.length, worst: atRisk.slice(0, LISTED_MAX) };
}
