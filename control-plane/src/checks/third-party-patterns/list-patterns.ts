import { type ThirdPartyPattern, thirdPartyPatternSchema } from "@svc/contract";
import * as z from "zod";
import type { ListSource } from "../../platform/http/list-answer.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { listPatternRows, type PatternRow } from "./store.ts";

/** Returns the list of the team's third-party patterns, newest first. */
export function listPatterns({ services, teamId }: TeamContext): ListSource<PatternRow> {
  return {
    read: (after, rowsMax) => listPatternRows(services.knex, teamId, { after, rowsMax }),
    isFull: true,
    textOf: (row) => JSON.stringify(z.encode(thirdPartyPatternSchema, patternFromRow(row))),
    cursorOf: (row) => [row.createdAt, row.key],
  };
}

/** Returns a pattern as the API answers it. */
export function patternFromRow({ key: _, ...pattern }: PatternRow): ThirdPartyPattern {
  return pattern;
}
