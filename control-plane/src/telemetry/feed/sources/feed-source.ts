/** Sources of the feed: each reads its newest entries; list-events.ts merges them and builds the events of one page. */
import type { FamilyMember, FeedEvent, FeedEventType } from "@svc/contract";
import type { Knex } from "knex";
import type { CheckLocationSlot } from "../../../platform/check-location.ts";
import type { FeedRequest } from "../request.ts";
import type { FeedResultRow } from "../store.ts";

/** An event before it is built: enough to sort it. */
export type FeedEntry = ResultEntry | CompleteEntry;

/** An entry whose event is built from the row of a result, which is read when the entry is on the page. */
interface ResultEntry {
  /** Unix ms. */
  createdAtMs: number;
  result: CheckLocationSlot;
  toEvent: (row: FeedResultRow) => FeedEvent;
}

/** An entry that holds its event already. */
interface CompleteEntry {
  /** Unix ms. */
  createdAtMs: number;
  event: FeedEvent;
}

/** A part of the service whose records are entries of the feed. */
export interface FeedSource extends FamilyMember {
  /** The event types that the source yields. */
  eventTypes: readonly FeedEventType[];
  /**
   * Reads the newest entries of the wanted types, newest first, at most `request.limit`.
   * @param wanted some of the source's types; never empty
   */
  readNewest: (db: Knex, request: FeedRequest, wanted: ReadonlySet<FeedEventType>) => Promise<FeedEntry[]>;
}
