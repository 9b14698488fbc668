/** Finds the locations that can't reach a team's targets, by the results that are stored. */
import { groupBy } from "@svc/contract";
import type { Knex } from "knex";
import { checkLocationId } from "../../platform/check-location.ts";
import { isSuccess } from "../inputs/judged-result.ts";
import { type CutOffLocations, cutOffId, NONE_CUT_OFF } from "./cut-off.ts";
import { networkOfWay } from "./network-of-target.ts";
import { readKnownOutages } from "./outage-store.ts";
import { isCutOff, isUnreached, type SeenCheck } from "./reach.ts";
import {
  hasCategoryInDetail,
  type ReachRow,
  readErrorCategories,
  readReach,
  type TeamLocation,
} from "./reach-store.ts";

/** Returns those of the locations that can't reach the team's targets. Two statements, however many locations. */
export async function findCutOff(db: Knex, asked: readonly TeamLocation[]): Promise<TeamLocation[]> {
  const rows = await readReach(db, asked);
  const failures = newestHere(rows).filter((row) => !isSuccess(row) && hasCategoryInDetail(row.status));
  const categories = new Map(
    (await readErrorCategories(db, failures)).map((row) => [checkLocationId(row), row.category]),
  );
  const byAsked = groupBy(rows, (row) => row.asked);
  return asked.filter((_, index) => isCutOff(seenChecks(byAsked.get(index) ?? [], categories)));
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
          isUnreached: isUnreached(newest.status, categories.get(checkLocationId(newest))),
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
 * Returns the locations among these that can't reach the team's targets. Where an outage was confirmed within the last minute, nothing is
 * judged anew: an outage may make thousands of rules fire.
 */
export async function findCutOffNow(trx: Knex, asked: readonly TeamLocation[]): Promise<CutOffLocations> {
  if (asked.length === 0) return NONE_CUT_OFF;
  const known = new Set((await readKnownOutages(trx, asked)).map(cutOffId));
  const found = await findCutOff(
    trx,
    asked.filter((location) => !known.has(cutOffId(location))),
  );
  return new Set([...known, ...found.map(cutOffId)]);
}
