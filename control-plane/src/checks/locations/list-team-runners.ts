import { teamRunnerSchema } from "@svc/contract";
import * as z from "zod";
import type { RecordList } from "../../platform/http/record-list.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { runnerFromRow } from "./row.ts";
import { listTeamRunnerRows, type TeamRunnerRow } from "./store.ts";

/** Returns the list of the runners of all the team's private locations, oldest first. */
export function listTeamRunners({ services, teamId }: TeamContext): RecordList<TeamRunnerRow> {
  return {
    name: "runners",
    cursorShape: ["number"],
    read: (part) => listTeamRunnerRows(services.knex, teamId, part),
    textOf: (row) =>
      JSON.stringify(z.encode(teamRunnerSchema, { ...runnerFromRow(row), locationId: row.locationId })),
    cursorOf: ({ key }) => [key],
  };
}
