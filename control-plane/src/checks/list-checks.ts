import { type Check, type CheckSummary, checkSchema, checkSummarySchema } from "@svc/contract";
import * as z from "zod";
import type { RecordList } from "../platform/http/record-list.ts";
import type { TeamContext } from "../platform/team-context.ts";
import { type CheckModel, checkFromRow, type SecretsShown } from "./row.ts";
import { listCheckRows } from "./store.ts";

/**
 * Returns the list of the team's checks, newest first.
 * @param input.view `summary` leaves the configurations out
 */
export function listChecks(
  { services, teamId }: TeamContext,
  { view, secrets: shown }: { view: "full" | "summary"; secrets: SecretsShown },
): RecordList<CheckModel> {
  const { knex, secrets } = services;
  const withConfig = view === "full";
  return {
    name: "checks",
    cursorShape: ["instant", "number"],
    isSized: true,
    read: ({ after, rowsMax }) => listCheckRows(knex, teamId, { after, rowsMax, withConfig }),
    textOf: (row) =>
      withConfig
        ? JSON.stringify(z.encode(checkSchema, checkFromRow(secrets, row, shown)))
        : JSON.stringify(z.encode(checkSummarySchema, summaryOf(checkFromRow(secrets, row)))),
    cursorOf: (row) => [row.createdAt, row.key],
  };
}

function summaryOf({ configJson: _, ...summary }: Check): CheckSummary {
  return summary;
}
