/** Parts that all feed events of results have in common. Pure. */
import { firstCharacters, oneLine, runIdOf } from "@svc/contract";
import { ATTR } from "../../records/attributes.ts";
import type { FeedResultRow } from "../store.ts";

const SUMMARY_CHARACTERS_MAX = 500;

/** Returns the text as a summary: one line of at most {@link SUMMARY_CHARACTERS_MAX} characters. */
export function summaryText(text: string): string {
  return firstCharacters(oneLine(text), SUMMARY_CHARACTERS_MAX);
}

/** Returns the fields of an event that follow from its result alone. */
export function fieldsOfResult(row: FeedResultRow) {
  return {
    timestamp: new Date(row.createdAtMs).toISOString(),
    checkId: row.checkId,
    checkName: row.checkName,
    checkType: row.checkType,
    traceId: row.traceId,
    resourceAttributes: {
      [ATTR.checkId]: row.checkId,
      [ATTR.checkName]: row.checkName,
      [ATTR.checkType]: row.checkType,
      [ATTR.runId]: runIdOf(row),
      [ATTR.locationId]: row.locationId,
      [ATTR.locationName]: row.locationName,
    },
  };
}
