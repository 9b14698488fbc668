import {
  type AlertEventType,
  DomainError,
  FEED_OFFSET_MAX,
  FEED_RANGES,
  type FeedEvent,
  type FeedEventType,
  type FeedQuery,
  feedEvents,
  type TeamId,
} from "@svc/contract";
import type { Knex } from "knex";
import type { Services } from "../../platform/services.ts";
import { readDatabaseNow } from "../../results/rollups/store.ts";
import { alertEvent, driftEvent, resultEvent } from "./feed-event.ts";
import { newest, type ResultPlace, readFeedDrifts, readFeedResults } from "./result-source.ts";
import type { FeedRequest } from "./source.ts";
import { type FeedAlertRow, readFeedAlerts, readFeedChecks, readFeedResultRows } from "./store.ts";

/** An event before its row is read: enough to put it in its place. */
type Candidate =
  | { kind: "result" | "drift"; createdAtMs: number; place: ResultPlace }
  | { kind: "alert"; createdAtMs: number; row: FeedAlertRow };

/**
 * A page of the team's events, newest first.
 * @throws DomainError invalid (an unknown type, an offset above 10000)
 */
export async function listEvents(
  { knex, clock }: Services,
  teamId: TeamId,
  query: FeedQuery,
): Promise<{ events: FeedEvent[]; hasMore: boolean }> {
  const types = typesOf(query.type);
  const { limit, offset } = query;
  if (offset > FEED_OFFSET_MAX)
    throw new DomainError("invalid", `offset is ${offset}; largest is ${FEED_OFFSET_MAX}`);
  // Rows are stamped by either clock; the later one is where the feed begins.
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
  const candidates = await readCandidates(knex, request, types);
  const page = candidates.slice(offset, offset + limit);
  return { events: await showPage(knex, page), hasMore: candidates.length > offset + limit };
}

function typesOf(text: string | undefined): ReadonlySet<FeedEventType> {
  if (text === undefined || text.trim() === "") return new Set(feedEvents.types);
  const names = text.split(",").map((name) => name.trim());
  const unknown = names.filter((name) => !feedEvents.types.some((type) => type === name));
  if (unknown.length > 0)
    throw new DomainError(
      "invalid",
      `unknown event type: ${unknown.join(", ")}; known types: ${feedEvents.types.join(", ")}`,
    );
  return new Set(names as FeedEventType[]);
}

/** The newest of all sources, merged by time: those of the pages up to this one and one more. */
async function readCandidates(
  db: Knex,
  request: FeedRequest,
  types: ReadonlySet<FeedEventType>,
): Promise<Candidate[]> {
  const candidates: Candidate[] = [];
  const wantsCompleted = types.has("check.completed");
  const wantsFailed = types.has("check.failed");
  if (wantsCompleted || wantsFailed) {
    const wanted = wantsCompleted ? (wantsFailed ? "all" : "completed") : "failed";
    for (const place of await readFeedResults(db, request, wanted))
      candidates.push({ kind: "result", createdAtMs: place.createdAtMs, place });
  }
  if (types.has("check.mcp_schema_drift"))
    for (const place of newest(await readFeedDrifts(db, request), request.limit))
      candidates.push({ kind: "drift", createdAtMs: place.createdAtMs, place });
  const alertTypes = [...types].flatMap((type) =>
    type.startsWith("alert.") ? [type.slice("alert.".length) as AlertEventType] : [],
  );
  if (alertTypes.length > 0)
    for (const row of await readFeedAlerts(db, request, alertTypes))
      candidates.push({ kind: "alert", createdAtMs: row.createdAtMs, row });
  // The sort is stable: within a source the order stays.
  return candidates.sort((a, b) => b.createdAtMs - a.createdAtMs);
}

async function showPage(db: Knex, page: readonly Candidate[]): Promise<FeedEvent[]> {
  const places = page.flatMap((candidate) => (candidate.kind === "alert" ? [] : [candidate.place]));
  const rows = await readFeedResultRows(db, places);
  const rowAt = new Map(rows.map((row) => [placeId(row), row]));
  return page.flatMap((candidate) => {
    if (candidate.kind === "alert") return [alertEvent(candidate.row)];
    const row = rowAt.get(placeId(candidate.place));
    if (!row) return [];
    return [candidate.kind === "drift" ? driftEvent(row) : resultEvent(row)];
  });
}

function placeId({ checkKey, locationKey, slotMs }: ResultPlace): string {
  return `${checkKey}:${locationKey}:${slotMs}`;
}
