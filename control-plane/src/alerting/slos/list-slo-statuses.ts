import { type SloStatus, sloStatusSchema } from "@svc/contract";
import * as z from "zod";
import type { RecordList } from "../../platform/http/record-list.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { readStatusCounts } from "./read-status-counts.ts";
import type { SloRow } from "./row.ts";
import { type StatusCounts, sloStatusOf } from "./slo-status.ts";
import { listSloRows } from "./store.ts";

/** SLOs that are counted by one set of statements: bounds how long these hold a connection. */
const SLOS_AT_ONCE = 50;

/** Returns the list of the states of the team's SLOs, newest SLO first, enabled or not. */
export function listSloStatuses({
  services,
  teamId,
}: TeamContext): RecordList<{ row: SloRow; status: SloStatus }> {
  const { knex, clock } = services;
  const nowMs = clock.nowMs();
  return {
    name: "states",
    cursorShape: ["instant", "number"],
    isSized: true,
    read: async ({ rowsMax, ...part }) => {
      const rows = await listSloRows(knex, teamId, { ...part, rowsMax: Math.min(rowsMax, SLOS_AT_ONCE) });
      const counts = await readStatusCounts(knex, rows, nowMs);
      return rows.map((row, i) => ({ row, status: sloStatusOf(row, counts[i] as StatusCounts) }));
    },
    textOf: ({ status }) => JSON.stringify(z.encode(sloStatusSchema, status)),
    cursorOf: ({ row: { createdAt, key } }) => [createdAt, key],
  };
}
