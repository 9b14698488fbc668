import { type SlosQuery, sloSchema } from "@svc/contract";
import * as z from "zod";
import type { RecordList } from "../../platform/http/record-list.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { type SloRow, sloFromRow } from "./row.ts";
import { listSloRows } from "./store.ts";

/** Returns the list of the team's SLOs, newest first. */
export function listSlos(
  { services, teamId }: TeamContext,
  filter: Pick<SlosQuery, "checkId" | "sloType">,
): RecordList<SloRow> {
  return {
    name: "slos",
    cursorShape: ["instant", "number"],
    read: (part) => listSloRows(services.knex, teamId, { ...filter, ...part }),
    textOf: (row) => JSON.stringify(z.encode(sloSchema, sloFromRow(row))),
    cursorOf: ({ createdAt, key }) => [createdAt, key],
  };
}
