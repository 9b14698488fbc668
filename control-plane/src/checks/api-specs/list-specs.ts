import { specSchema } from "@svc/contract";
import * as z from "zod";
import type { RecordList } from "../../platform/http/record-list.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { type SpecRow, specFromRow } from "./row.ts";
import { listSpecRows } from "./store.ts";

/** Returns the list of the team's specs, newest first. */
export function listSpecs({ services, teamId }: TeamContext): RecordList<SpecRow> {
  return {
    name: "specs",
    cursorShape: ["instant", "string"],
    read: (part) => listSpecRows(services.knex, teamId, part),
    textOf: (row) => JSON.stringify(z.encode(specSchema, specFromRow(services.secrets, row))),
    cursorOf: ({ createdAt, id }) => [createdAt, id],
  };
}
