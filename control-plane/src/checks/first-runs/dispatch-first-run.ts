/**
 * First runs of new checks have a budget for each team, so that many checks created at once don't crowd out the schedules of
 * others on the same agents. The runs beyond it wait; none is refused or lost.
 */
import { MINUTE_MS, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { type DispatchInput, dispatchRun } from "../dispatch-run.ts";
import { countFirstRuns, queueFirstRun, tryCountingAlone } from "./store.ts";

/** Most first runs of a team in a minute, one per check and location. */
export const TEAM_FIRST_RUNS_MAX = 1_000;
/** Time for which a first run counts. */
export const FIRST_RUN_WINDOW_MS = MINUTE_MS;

/** The new check and its team, whose budget the run counts against. */
export interface FirstRunInput extends Pick<DispatchInput, "check" | "locationKeys" | "atMs"> {
  teamId: TeamId;
}

/** Dispatches the first run of a check, or queues it behind those of its team that wait already or fill the budget. */
export async function dispatchFirstRun(trx: Knex, { teamId, ...run }: FirstRunInput): Promise<void> {
  if (await mayRunNow(trx, teamId, run)) await dispatchRun(trx, { ...run, reason: "first_run" });
  else await queueFirstRun(trx, { checkKey: run.check.key, teamId, runCount: run.locationKeys.length });
}

async function mayRunNow(
  trx: Knex,
  teamId: TeamId,
  { locationKeys, atMs }: Pick<DispatchInput, "locationKeys" | "atMs">,
): Promise<boolean> {
  const before = await countFirstRuns(trx, teamId, atMs - FIRST_RUN_WINDOW_MS);
  if (before === null) return false;
  const total = before + locationKeys.length;
  // Far from the budget, requests at once don't wait for each other's commit. Near it, only one of them may count.
  return total <= TEAM_FIRST_RUNS_MAX / 2 || (total <= TEAM_FIRST_RUNS_MAX && tryCountingAlone(trx, teamId));
}
