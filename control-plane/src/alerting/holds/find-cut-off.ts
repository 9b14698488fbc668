/** Finds the locations that can't reach a team's targets, by the results that are stored. */
import { groupBy } from "@svc/contract";
import type { Knex } from "knex";
import { checkLocationId } from "../../platform/check-location.ts";
import { isSuccess } from "../inputs/judged-result.ts";
import { instantId } from "./cut-off.ts";
import { networkOfWay } from "./network-of-target.ts";
import { readOutagesAt } from "./outage-store.ts";
import {
  answerOf,
  isCutOff,
  isUnreached,
  type ReachOverTime,
  reachOf,
  recentMs,
  type SeenCheck,
} from "./reach.ts";
import {
  hasCategoryInDetail,
  type ReachRow,
  readErrorCategories,
  readReach,
  type TeamLocation,
} from "./reach-store.ts";

/** Returns what results show of each location, in the order of these. Two statements, however many locations. */
export async function readReachOverTime(db: Knex, asked: readonly TeamLocation[]): Promise<ReachOverTime[]> {
  const rows = await readReach(db, asked);
  const failures = newestHere(rows).filter((row) => !isSuccess(row) && hasCategoryInDetail(row.status));
  const categories = new Map(
    (await readErrorCategories(db, failures)).map((row) => [categoryId(row), row.category]),
  );
  const byAsked = groupBy(rows, (row) => row.asked);
  return asked.map(({ atMs }, index) => {
    const ofLocation = byAsked.get(index) ?? [];
    const recent = ofLocation.filter((row) => atMs - row.slotMs <= recentMs(row));
    return {
      recent: reachOf(seenChecks(recent, categories)),
      lastHour: reachOf(seenChecks(ofLocation, categories)),
    };
  });
}

function categoryId(row: { checkKey: number; locationKey: number; slotMs: number }): string {
  return `${checkLocationId(row)}:${row.slotMs}`;
}

/** Returns those of the locations that can't reach the team's targets. */
export async function findCutOff<Asked extends TeamLocation>(
  db: Knex,
  asked: readonly Asked[],
): Promise<Asked[]> {
  const reaches = await readReachOverTime(db, asked);
  return asked.filter((_, index) => isCutOff((reaches[index] as ReachOverTime).recent));
}

/** Returns the newest row of each check at the location that was asked about. */
function newestHere(rows: readonly ReachRow[]): ReachRow[] {
  const newest = new Map<string, ReachRow>();
  for (const row of rows) {
    const id = `${row.asked}:${row.checkKey}`;
    if (row.isHere && !newest.has(id)) newest.set(id, row);
  }
  return [...newest.values()];
}

/** Returns the checks with their networks and newest results; those without a target or a recent result here are left out. */
function seenChecks(rows: readonly ReachRow[], categories: ReadonlyMap<string, string>): SeenCheck[] {
  return [...groupBy(rows, ({ checkKey }) => checkKey).values()].flatMap((ofCheck) => {
    const here = ofCheck.filter(({ isHere }) => isHere);
    const [newest] = here;
    const network = newest ? networkOfWay(newest) : null;
    if (!newest || network === null) return [];
    const firstSuccess = here.findIndex(isSuccess);
    const failures = firstSuccess < 0 ? here : here.slice(0, firstSuccess);
    return [
      {
        network,
        here: {
          isFailing: !isSuccess(newest),
          isUnreached: isUnreached(newest.status, categories.get(categoryId(newest))),
          firstFailureMs: (failures.at(-1) ?? newest).slotMs,
        },
        elsewhere: ofCheck
          .filter(({ isHere }) => !isHere)
          .map((row) => ({ slotMs: row.slotMs, isFailing: !isSuccess(row) })),
      },
    ];
  });
}

/**
 * Returns ids of the locations among these that can't reach the team's targets, each at its instant: see {@link instantId}. Where an outage
 * was confirmed within a minute of that, nothing is judged anew: an outage may make thousands of rules fire. Where one lasts, and results say
 * nothing, it goes on.
 */
export async function findCutOffAt(trx: Knex, asked: readonly TeamLocation[]): Promise<ReadonlySet<string>> {
  if (asked.length === 0) return new Set();
  const outages = new Map((await readOutagesAt(trx, asked)).map((outage) => [outage.asked, outage]));
  const toJudge = asked.flatMap((location, index) => {
    const outage = outages.get(index);
    return outage?.isConfirmed ? [] : [{ ...location, outage }];
  });
  const reaches = await readReachOverTime(trx, toJudge);
  const found = toJudge.filter(({ outage }, index) => {
    const answer = answerOf(reaches[index] as ReachOverTime, outage?.networks ?? []);
    return answer === "cut_off" || (outage !== undefined && answer === "unknown");
  });
  const confirmed = asked.filter((_, index) => outages.get(index)?.isConfirmed);
  return new Set([...confirmed, ...found].map(instantId));
}
