import { type AlertInstancesQuery, alertInstanceSummarySchema } from "@svc/contract";
import * as z from "zod";
import type { RecordList } from "../../platform/http/record-list.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { type InstanceDetailRow, summaryFromRow } from "./row.ts";
import { listInstanceRows } from "./store.ts";

/** Returns the list of the team's instances, newest first. */
export function listInstances(
  { services, teamId }: TeamContext,
  filter: Pick<AlertInstancesQuery, "state" | "checkId">,
): RecordList<InstanceDetailRow> {
  return {
    name: "instances",
    cursorShape: ["instant", "string"],
    read: (part) => listInstanceRows(services.knex, teamId, { ...filter, ...part }),
    textOf: (row) => JSON.stringify(z.encode(alertInstanceSummarySchema, summaryFromRow(row))),
    cursorOf: ({ startedAt, id }) => [startedAt, id],
  };
}
