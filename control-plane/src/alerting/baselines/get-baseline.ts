import { type BaselineMetric, type CheckBaseline, type CheckId, groupBy, HOURS_OF_WEEK } from "@svc/contract";
import { getCheckRow } from "../../checks/get-check.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { baselineOf } from "./fold.ts";
import { readSumsOfCheck } from "./store.ts";

/**
 * Returns what a metric of a check usually is. Hours with too few samples have no baseline.
 * @throws DomainError `not_found`
 */
export async function getBaseline(
  { services: { knex }, teamId }: TeamContext,
  { checkId, metric }: { checkId: CheckId; metric: BaselineMetric },
): Promise<CheckBaseline> {
  const check = await getCheckRow(knex, teamId, checkId);
  const sums = await readSumsOfCheck(knex, check.key, metric);
  const locations = [...groupBy(sums, ({ locationId }) => locationId)].flatMap(([locationId, ofLocation]) => {
    const baselines = new Map(ofLocation.map((one) => [one.hour, baselineOf(one)]));
    const byHour = Array.from({ length: HOURS_OF_WEEK }, (_, hour) => baselines.get(hour));
    if (byHour.every((one) => one === undefined)) return [];
    return [
      {
        locationId,
        mean: byHour.map((one) => one?.mean ?? null),
        deviation: byHour.map((one) => one?.deviation ?? null),
      },
    ];
  });
  return { metric, locations };
}
