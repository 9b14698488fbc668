import { rotaSchema } from "@svc/contract";
import * as z from "zod";
import type { ListSource } from "../../platform/http/list-answer.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { type RotaModel, rotaFromRow } from "./row.ts";
import { listRotaRows } from "./store.ts";

/** Returns the list of the team's rotas, newest first. */
export function listRotas({ services, teamId }: TeamContext): ListSource<RotaModel> {
  const nowMs = services.clock.nowMs();
  return {
    read: (after, rowsMax) => listRotaRows(services.knex, teamId, { after, rowsMax }),
    isFull: true,
    textOf: (row) => JSON.stringify(z.encode(rotaSchema, rotaFromRow(row, nowMs))),
    cursorOf: (row) => [row.createdAt, row.key],
  };
}
