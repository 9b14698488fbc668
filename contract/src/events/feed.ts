/** The event feed: check results and alert state transitions of a team, merged by time. */
import { z } from "zod";
import { timestampSchema } from "../check.ts";
import { CHECK_TYPE_NAMES } from "../checks/registry.ts";
import { severitySchema } from "../severity.ts";

export const FEED_EVENT_TYPES = [
  "check.completed",
  "check.failed",
  "check.mcp_schema_drift",
  "alert.triggered",
  "alert.acknowledged",
  "alert.recovered",
  "alert.resolved",
  "alert.escalated",
  "alert.notified",
  "alert.muted",
] as const;
export type FeedEventType = (typeof FEED_EVENT_TYPES)[number];

/** How far back the feed looks, in ms. */
export const FEED_RANGES = {
  "1h": 3_600_000,
  "6h": 21_600_000,
  "24h": 86_400_000,
  "7d": 604_800_000,
  "14d": 1_209_600_000,
  "30d": 2_592_000_000,
} as const;
export const FEED_OFFSET_MAX = 10_000;

export const feedEventSchema = z
  .object({
    id: z.string().describe("A drift event beside a check.completed has the same id with the suffix :drift."),
    eventType: z.enum(FEED_EVENT_TYPES),
    timestamp: timestampSchema,
    checkId: z.string().nullable(),
    checkName: z.string().nullable(),
    checkType: z.enum(CHECK_TYPE_NAMES).nullable(),
    severity: severitySchema.nullable(),
    traceId: z.string().nullable(),
    summary: z.string().nullable(),
    resourceAttributes: z.record(z.string(), z.unknown()),
    attributes: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "FeedEvent" });
export type FeedEvent = z.infer<typeof feedEventSchema>;
