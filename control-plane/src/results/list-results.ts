import { type CheckId, parseResultId, type Result, resultSchema } from "@svc/contract";
import * as z from "zod";
import { getCheckRow } from "../checks/get-check.ts";
import type { CheckModel } from "../checks/row.ts";
import type { Cursor, ListSource } from "../platform/http/list-answer.ts";
import { OFFSET_MAX, offsetTooLarge } from "../platform/http/record-list.ts";
import type { Services } from "../platform/services.ts";
import type { TeamContext } from "../platform/team-context.ts";
import { type ResultsPage, readResults } from "./read-results.ts";
import { type LocationSlot, readPageKeys } from "./store.ts";

/** Shape of the list's cursors: slot and location key. */
export const RESULT_CURSOR = ["number", "number"] as const;

/** Results with detail that are read at first: one may have 256 KiB. */
const DETAILS_AT_ONCE = 8;
const DETAILS_AT_ONCE_MAX = 64;
/** Length of the details read at once below which more are read the next time. */
const SMALL_BATCH_LENGTH = 128 * 1024;

/**
 * Returns the list of a check's results from a page on, newest first. The slots of the page are read with its beginning, and
 * kept for the reads that follow.
 *
 * @param begin cursor of the page; the list's reads name it, too
 * @throws DomainError `not_found`; `invalid` when reading for an offset that is too large and within the history
 */
export async function listResults(
  { services, teamId }: TeamContext,
  {
    checkId,
    begin,
    limit,
    offset,
    withDetail,
  }: ResultsPage & { checkId: CheckId; begin: Cursor | undefined },
): Promise<ListSource<Result>> {
  const check = await getCheckRow(services.knex, teamId, checkId);
  let keys: LocationSlot[] = [];
  let atOnce = 0;
  let length = 0;
  return {
    read: async (after) => {
      if (after === begin) {
        keys = await readKeys(services, check, { limit: limit + 1, offset, after: slotOf(begin) });
        atOnce = withDetail ? DETAILS_AT_ONCE : limit + 1;
      } else if (withDetail)
        atOnce = length < SMALL_BATCH_LENGTH ? Math.min(2 * atOnce, DETAILS_AT_ONCE_MAX) : DETAILS_AT_ONCE;
      length = 0;
      for (;;) {
        const next = keys.splice(0, atOnce);
        if (next.length === 0) return [];
        const results = await readResults(services, check, { keys: next, withDetail });
        // Results that were removed meanwhile are left out; an empty batch would end the list.
        if (results.length > 0) return results;
      }
    },
    textOf: (result) => {
      const text = JSON.stringify(z.encode(resultSchema, result));
      length += text.length;
      return text;
    },
    cursorOf: ({ id }) => {
      const key = parseResultId(id);
      if (!key) throw new TypeError(`${id} is no id of a result`);
      return [key.slotMs, key.locationKey];
    },
  };
}

function slotOf(cursor: Cursor | undefined): LocationSlot | undefined {
  return cursor && { slotMs: cursor[0] as number, locationKey: cursor[1] as number };
}

async function readKeys(
  { knex }: Services,
  check: CheckModel,
  page: { limit: number; offset: number; after: LocationSlot | undefined },
): Promise<LocationSlot[]> {
  if (page.offset <= OFFSET_MAX) return readPageKeys(knex, check.key, page);
  const beyond = await readPageKeys(knex, check.key, { ...page, limit: 1, offset: OFFSET_MAX });
  if (beyond.length === 0) return [];
  throw offsetTooLarge();
}
