/**
 * Reads results in the form that the API shows, with links to their files. The caller ensures that the check is the
 * team's.
 */
import { DAY_MS, type Result } from "@svc/contract";
import type { Knex } from "knex";
import type { Services } from "../platform/services.ts";
import { linkResults } from "./artifacts/link-results.ts";
import type { ScheduleInForce } from "./coverage/expected-slots.ts";
import { readSchedules } from "./coverage/store.ts";
import { addKeptAssertions } from "./kept-assertions.ts";
import { rangeOfPage, readPageKeys } from "./keys-store.ts";
import { type ResultOwner, resultFromRow } from "./row.ts";
import { type LocationSlot, readResultRows } from "./store.ts";

/** The page to read; without details, results have no evidence. */
export interface ResultsPage {
  limit: number;
  offset: number;
  withDetail: boolean;
}

/** Reads a page of a check's results, newest first. */
export async function readResultsPage(
  services: Services,
  check: ResultOwner & { frequencySeconds: number },
  page: ResultsPage,
): Promise<Result[]> {
  const range = rangeOfPage(check, page, services.clock.nowMs());
  const keys = await readPageKeys(services.knex, check.key, { ...page, ...range });
  return readResults(services, check, { keys, withDetail: page.withDetail });
}

/** Reads the results with these keys, in their order; those that do not exist are left out. */
export async function readResults(
  services: Services,
  check: ResultOwner,
  { keys, withDetail }: { keys: readonly LocationSlot[]; withDetail: boolean },
): Promise<Result[]> {
  const rows = await readResultRows(services.knex, check, { keys, withDetail });
  const schedules = await readSchedulesOf(services.knex, check, rows);
  const shown = rows.map((row) => ({
    result: resultFromRow(check, row, { withDetail, schedules }),
    run: row,
  }));
  if (withDetail) await addKeptAssertions(services.knex, check, shown);
  return linkResults(services, check.key, shown);
}

/** Reads the schedules under which these runs were due: each at most a stagger, less than a day, after its slot. */
async function readSchedulesOf(
  db: Knex,
  check: ResultOwner,
  runs: readonly LocationSlot[],
): Promise<ScheduleInForce[]> {
  if (runs.length === 0) return [];
  const slots = runs.map(({ slotMs }) => slotMs);
  return readSchedules(db, check.key, { fromMs: Math.min(...slots), toMs: Math.max(...slots) + DAY_MS });
}
