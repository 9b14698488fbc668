import { statusPageSchema } from "@svc/contract";
import * as z from "zod";
import type { ListSource } from "../../platform/http/list-answer.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { pageFromRow } from "./row.ts";
import { listPageRows, type PageRow } from "./store.ts";

/** Returns the list of the team's status pages, newest first. */
export function listPages({ services, teamId }: TeamContext): ListSource<PageRow> {
  return {
    read: (after, rowsMax) => listPageRows(services.knex, teamId, { after, rowsMax }),
    isFull: true,
    textOf: (row) => JSON.stringify(z.encode(statusPageSchema, pageFromRow(row))),
    cursorOf: (row) => [row.createdAt, row.key],
  };
}
