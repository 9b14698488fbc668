import { maintenanceWindowSchema } from "@svc/contract";
import * as z from "zod";
import type { ListSource } from "../../platform/http/list-answer.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { windowFromRow } from "./get-window.ts";
import { listWindowRows, type WindowRow } from "./store.ts";

/** Returns the list of the team's windows, newest first. */
export function listWindows({ services, teamId }: TeamContext): ListSource<WindowRow> {
  const { knex, clock } = services;
  return {
    read: (after) => listWindowRows(knex, teamId, { after, nowMs: clock.nowMs() }),
    textOf: (row) => JSON.stringify(z.encode(maintenanceWindowSchema, windowFromRow(row))),
    cursorOf: (row) => [row.createdAt, row.key],
  };
}
