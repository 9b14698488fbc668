import {
  CATEGORY_DAYS_MAX,
  type CheckId,
  DAY_MS,
  HOUR_MS,
  invalidField,
  parseResultId,
  type Result,
  type ResultFilter,
  type ResultId,
  resultSchema,
} from "@svc/contract";
import * as z from "zod";
import { getCheckRow } from "../checks/get-check.ts";
import type { CheckModel } from "../checks/row.ts";
import type { Cursor, ListSource } from "../platform/http/list-answer.ts";
import { OFFSET_MAX, offsetTooLarge } from "../platform/http/record-list.ts";
import type { Services } from "../platform/services.ts";
import type { TeamContext } from "../platform/team-context.ts";
import type { FilteredPart } from "./filter-store.ts";
import { findFilteredKeys } from "./filtered-keys.ts";
import { rangeOfPage, readPageKeys } from "./keys-store.ts";
import { type ResultsPage, readResults } from "./read-results.ts";
import type { LocationSlot } from "./store.ts";

/** Shape of the list's cursors: slot and location key. */
export const RESULT_CURSOR = ["number", "number"] as const;

/** Results with detail that are read at first: one may have 256 KiB. */
const DETAILS_AT_ONCE = 8;
const DETAILS_AT_ONCE_MAX = 64;
/** Results without detail that are read at once. */
const RESULTS_AT_ONCE = 500;
/** Length of the details read at once below which more are read the next time. */
const SMALL_BATCH_LENGTH = 128 * 1024;

/** The list to read: a page of a check's results, and the filter that they match. */
export interface ResultsRequest extends ResultsPage {
  checkId: CheckId;
  /** Cursor of the page; the list's reads name it, too. */
  begin: Cursor | undefined;
  filter?: ResultFilter & { before?: ResultId | undefined };
}

/**
 * Returns the list of a check's results from a page on, newest first. The slots of the page are read with its beginning, and
 * kept for the reads that follow.
 * @throws DomainError `not_found`; `invalid` for a filter that can't be, one together with an offset, and when reading for an
 *   offset that is too large and within the history
 */
export async function listResults(
  { services, teamId }: TeamContext,
  { checkId, begin, limit, offset, withDetail, filter = {} }: ResultsRequest,
): Promise<ListSource<Result>> {
  const check = await getCheckRow(services.knex, teamId, checkId);
  const part = partOf(filter, {
    offset,
    begin,
    nowMs: services.clock.nowMs(),
    days: services.config.retentionDays,
  });
  let keys: LocationSlot[] = [];
  let atOnce = 0;
  let length = 0;
  return {
    read: async (after) => {
      if (after === begin) {
        keys = part
          ? await findFilteredKeys(services.knex, check.key, { ...part, limit: limit + 1 })
          : await readKeys(services, check, { limit: limit + 1, offset, after: slotOf(begin) });
        atOnce = withDetail ? DETAILS_AT_ONCE : RESULTS_AT_ONCE;
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

/**
 * Returns the part of the list that the filter leaves; undefined when nothing is filtered.
 * @throws DomainError `invalid`
 */
function partOf(
  filter: NonNullable<ResultsRequest["filter"]>,
  { offset, begin, nowMs, days }: { offset: number; begin: Cursor | undefined; nowMs: number; days: number },
): Omit<FilteredPart, "limit"> | undefined {
  const { from, to, before, ...conditions } = filter;
  if (Object.values(filter).every((value) => value === undefined)) return undefined;
  if (offset > 0) throw invalidField("offset", "goes with no filter; follow the cursors (nextCursor)");
  const known = before === undefined ? undefined : parseResultId(before);
  if (before !== undefined && !known) throw invalidField("before", "expected the id of a result (res_...)");
  const after = slotOf(begin) ?? known;
  // A result's slot may lie a little in the future by this clock; none is older than what is kept.
  const toMs = to === undefined ? nowMs + HOUR_MS : Date.parse(to);
  const reachMs = (conditions.category ? CATEGORY_DAYS_MAX : days + 1) * DAY_MS;
  const oldestMs = Math.min(toMs, nowMs) - reachMs;
  const fromMs = from === undefined ? oldestMs : Date.parse(from);
  if (conditions.category && fromMs < oldestMs)
    throw invalidField("from", `with category, at most ${CATEGORY_DAYS_MAX} days before to`);
  return { conditions, fromMs: Math.max(fromMs, nowMs - (days + 1) * DAY_MS), toMs, after };
}

function slotOf(cursor: Cursor | undefined): LocationSlot | undefined {
  return cursor && { slotMs: cursor[0] as number, locationKey: cursor[1] as number };
}

async function readKeys(
  { knex, clock }: Services,
  check: CheckModel,
  page: { limit: number; offset: number; after: LocationSlot | undefined },
): Promise<LocationSlot[]> {
  if (page.offset <= OFFSET_MAX)
    return readPageKeys(knex, check.key, { ...page, ...rangeOfPage(check, page, clock.nowMs()) });
  const first = { ...page, limit: 1, offset: OFFSET_MAX };
  const beyond = await readPageKeys(knex, check.key, {
    ...first,
    ...rangeOfPage(check, first, clock.nowMs()),
  });
  if (beyond.length === 0) return [];
  throw offsetTooLarge();
}
