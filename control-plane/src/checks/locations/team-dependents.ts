import type { TeamDependents } from "../../accounts/teams/delete-team.ts";
import { wakeFleets } from "../../platform/db/wake-ups.ts";
import { deleteRunnerKeysOfTeam } from "./store.ts";

/** Runner keys end with their team: the streams of its runners are closed, and results by these keys are refused. */
export const locationDependents: TeamDependents = {
  end: async (trx, teamId) => {
    await deleteRunnerKeysOfTeam(trx, teamId);
    await wakeFleets(trx, "runner_keys");
  },
};
