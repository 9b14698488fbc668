import { changeSchema } from "@svc/contract";
import * as z from "zod";
import type { RecordList } from "../../platform/http/record-list.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { type ChangeFilter, type ChangeRow, listChangeRows } from "./store.ts";

/** Returns the list of the team's changes that the filter names, newest first. */
export function listChanges(
  { services, teamId }: TeamContext,
  { type, name, source, resourceId, from, to }: ChangeFilter,
): RecordList<ChangeRow> {
  return {
    name: "changes",
    cursorShape: ["number"],
    read: (part) =>
      listChangeRows(services.knex, teamId, { type, name, source, resourceId, from, to, ...part }),
    isSized: true,
    textOf: ({ key: _, ...change }) => JSON.stringify(z.encode(changeSchema, change)),
    cursorOf: ({ key }) => [key],
  };
}
