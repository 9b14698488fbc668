/** Feed events of results: `check.completed` for a success, `check.failed` for anything else. */
import { type FeedEvent, type FeedEventType, isSuccessCode, resultIdOf } from "@svc/contract";
import { ATTR } from "../../records/attributes.ts";
import { FEED_ATTR } from "../attributes.ts";
import { readFeedResults } from "../result-store.ts";
import type { FeedResultRow } from "../store.ts";
import type { FeedSource } from "./feed-source.ts";
import { fieldsOfResult, summaryText } from "./result-event.ts";

/** Reads the newest results, of the wanted types only. */
export const resultSource: FeedSource = {
  type: "results",
  eventTypes: ["check.completed", "check.failed"],
  readNewest: async (db, request, wanted) => {
    const results = await readFeedResults(db, request, wantedResults(wanted));
    return results.map((result) => ({ createdAtMs: result.createdAtMs, result, toEvent: resultEvent }));
  },
};

function wantedResults(wanted: ReadonlySet<FeedEventType>): "all" | "completed" | "failed" {
  if (!wanted.has("check.failed")) return "completed";
  return wanted.has("check.completed") ? "all" : "failed";
}

function resultEvent(row: FeedResultRow): FeedEvent {
  const isSuccess = isSuccessCode(row.status);
  const responseTimeMs = row.responseTimeUs / 1000;
  return {
    id: resultIdOf(row),
    eventType: isSuccess ? "check.completed" : "check.failed",
    ...fieldsOfResult(row),
    severity: isSuccess ? null : "critical",
    summary: isSuccess
      ? `${row.checkName} completed from ${row.locationName} in ${Math.round(responseTimeMs)} ms`
      : `${row.checkName} failed from ${row.locationName}${row.errorMessage ? `: ${summaryText(row.errorMessage)}` : ""}`,
    attributes: {
      [FEED_ATTR.responseTime]: responseTimeMs,
      [FEED_ATTR.isSuccess]: isSuccess,
      ...(row.httpStatusCode === null ? {} : { [FEED_ATTR.httpStatusCode]: row.httpStatusCode }),
      ...(isSuccess || row.errorMessage === null
        ? {}
        : { [FEED_ATTR.errorMessage]: row.errorMessage, [ATTR.errorMessage]: row.errorMessage }),
    },
  };
}
