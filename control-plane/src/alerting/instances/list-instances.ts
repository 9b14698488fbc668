import { type AlertInstancesFilter, alertInstanceSummarySchema } from "@svc/contract";
import * as z from "zod";
import type { RecordList } from "../../platform/http/record-list.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { type InstanceDetailRow, summaryFromRow } from "./row.ts";
import { listInstanceRows } from "./store.ts";

/** Returns the list of the team's instances that the filter names, newest first. */
export function listInstances(
  { services, teamId }: TeamContext,
  { state, severity, checkId, label, from, to }: AlertInstancesFilter,
): RecordList<InstanceDetailRow> {
  return {
    name: "instances",
    cursorShape: ["instant", "string"],
    read: (part) =>
      listInstanceRows(services.knex, teamId, { state, severity, checkId, label, from, to, ...part }),
    textOf: (row) => JSON.stringify(z.encode(alertInstanceSummarySchema, summaryFromRow(row))),
    cursorOf: ({ startedAt, id }) => [startedAt, id],
  };
}
