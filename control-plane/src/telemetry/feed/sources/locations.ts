/** Feed events of locations: `location.*`, from the derived events of the same names. */
import { type FeedEvent, type FeedEventType, feedEventTypes, type TelemetryEventName } from "@svc/contract";
import { findSummary } from "../../derived-events/registry.ts";
import { ATTR } from "../../records/attributes.ts";
import { type FeedLocationRow, readFeedLocationEvents } from "../store.ts";
import type { FeedSource } from "./feed-source.ts";
import { summaryText } from "./result-event.ts";

/** Beginning of the names of derived events, which the feed leaves out. */
const PREFIX = "synthetics.";

/** Reads the events of locations, which belong to no check. */
export const locationSource: FeedSource = {
  type: "locations",
  eventTypes: feedEventTypes.types.filter((type) => type.startsWith("location.")),
  readNewest: async (db, request, wanted) => {
    // Of a location, not of the one check that is asked for.
    if (request.isForOneCheck) return [];
    const names = [...wanted].map((type) => `${PREFIX}${type}` as TelemetryEventName);
    const rows = await readFeedLocationEvents(db, request, names);
    return rows.map((row) => ({ createdAtMs: row.createdAtMs, event: locationEvent(row) }));
  },
};

function locationEvent(row: FeedLocationRow): FeedEvent {
  const { [ATTR.locationId]: id, [ATTR.locationName]: name, ...attributes } = row.attributes;
  return {
    id: row.id,
    eventType: row.name.slice(PREFIX.length) as FeedEventType,
    timestamp: new Date(row.createdAtMs).toISOString(),
    checkId: null,
    checkName: null,
    checkType: null,
    severity: row.severity,
    traceId: null,
    summary: summaryText(findSummary(row.name, row.attributes) ?? row.name),
    resourceAttributes: { [ATTR.locationId]: id, [ATTR.locationName]: name },
    attributes,
  };
}
