import {
  DomainError,
  FEED_OFFSET_MAX,
  FEED_RANGES,
  type FeedEvent,
  type FeedEventType,
  type FeedQuery,
  feedEventTypes,
} from "@svc/contract";
import type { Knex } from "knex";
import { checkLocationSlotId } from "../../platform/check-location.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { readDatabaseNow } from "../../results/rollups/store.ts";
import type { FeedRequest } from "./request.ts";
import type { FeedEntry } from "./sources/feed-source.ts";
import { feedSources } from "./sources/registry.ts";
import { readFeedChecks, readFeedResultRows } from "./store.ts";

/**
 * Returns a page of the team's events, newest first.
 * @throws DomainError `invalid`: an unknown type, an offset above {@link FEED_OFFSET_MAX}
 */
export async function listEvents(
  { services, teamId }: TeamContext,
  query: FeedQuery,
): Promise<{ events: FeedEvent[]; hasMore: boolean }> {
  const { knex, clock } = services;
  const types = typesOf(query.type);
  const { limit, offset } = query;
  if (offset > FEED_OFFSET_MAX)
    throw new DomainError("invalid", `offset is ${offset}; largest is ${FEED_OFFSET_MAX}`);
  // Rows are stamped by the clock of the database or of a control plane; the feed begins at the later one.
  const nowMs = Math.max(clock.nowMs(), await readDatabaseNow(knex));
  const request: FeedRequest = {
    teamId,
    checks: await readFeedChecks(knex, teamId, query.checkId),
    isForOneCheck: query.checkId !== undefined,
    severity: query.severity,
    fromMs: nowMs - FEED_RANGES[query.range],
    toMs: nowMs,
    limit: offset + limit + 1,
  };
  const entries = await readEntries(knex, request, types);
  const page = entries.slice(offset, offset + limit);
  return { events: await buildEvents(knex, page), hasMore: entries.length > offset + limit };
}

function typesOf(text: string | undefined): ReadonlySet<FeedEventType> {
  if (text === undefined || text.trim() === "") return new Set(feedEventTypes.types);
  const names = text.split(",").map((name) => name.trim());
  const unknown = names.filter((name) => !feedEventTypes.types.some((type) => type === name));
  if (unknown.length > 0)
    throw new DomainError(
      "invalid",
      `unknown event type: ${unknown.join(", ")}; known types: ${feedEventTypes.types.join(", ")}`,
    );
  return new Set(names as FeedEventType[]);
}

/** Reads the newest entries of all sources, newest first: those of the pages up to this one and one more. */
async function readEntries(
  db: Knex,
  request: FeedRequest,
  types: ReadonlySet<FeedEventType>,
): Promise<FeedEntry[]> {
  const entries: FeedEntry[] = [];
  for (const source of feedSources.members) {
    const wanted = new Set(source.eventTypes.filter((type) => types.has(type)));
    if (wanted.size > 0) entries.push(...(await source.readNewest(db, request, wanted)));
  }
  // The sort is stable, so the order within a source stays.
  return entries.sort((a, b) => b.createdAtMs - a.createdAtMs);
}

/** Builds the events of a page. An entry whose result was deleted meanwhile is left out. */
async function buildEvents(db: Knex, page: readonly FeedEntry[]): Promise<FeedEvent[]> {
  const slots = page.flatMap((entry) => ("result" in entry ? [entry.result] : []));
  const rows = await readFeedResultRows(db, slots);
  const rowOf = new Map(rows.map((row) => [checkLocationSlotId(row), row]));
  return page.flatMap((entry) => {
    if ("event" in entry) return [entry.event];
    const row = rowOf.get(checkLocationSlotId(entry.result));
    return row ? [entry.toEvent(row)] : [];
  });
}
