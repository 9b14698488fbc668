/** The event feed: check results, alert state transitions and changes of locations of a team, merged by time. */
import * as z from "zod";
import { defineFamily } from "../base/family.ts";
import { idSchema } from "../base/ids.ts";
import { severitySchema } from "../base/severity.ts";
import { DAY_MS, HOUR_MS } from "../base/time.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { checkTypes } from "../checks/registry.ts";

/** The events of the feed, in the order in which they are documented. */
export const feedEventTypes = defineFamily("feed event", [
  { type: "check.completed", when: "a result came in that is a success" },
  { type: "check.failed", when: "a result came in that is no success" },
  { type: "check.mcp_schema_drift", when: "a run of an MCP check found the server changed" },
  { type: "alert.triggered", when: "an alert began" },
  { type: "alert.acknowledged", when: "someone acknowledged an alert" },
  { type: "alert.recovered", when: "results ended an alert" },
  { type: "alert.resolved", when: "someone ended an alert" },
  { type: "alert.escalated", when: "the severity of an alert rose" },
  { type: "alert.notified", when: "people were notified of an alert" },
  { type: "alert.muted", when: "someone muted an alert" },
  { type: "location.health_changed", when: "a private location became active, degraded or offline" },
  {
    type: "location.status_changed",
    when: "the operator deprecated or retired a hosted location where the team has checks, or put it in service again",
  },
]);
/** Type of a feed event. */
export type FeedEventType = (typeof feedEventTypes)["types"][number];

/** Ranges that the feed can look back over, in ms. */
export const FEED_RANGES = {
  "1h": HOUR_MS,
  "6h": 6 * HOUR_MS,
  "24h": DAY_MS,
  "7d": 7 * DAY_MS,
  "14d": 14 * DAY_MS,
  "30d": 30 * DAY_MS,
} as const;
/** Name of the time range of a feed: the time until now, of that length. */
export type FeedRange = keyof typeof FEED_RANGES;
/** Most events of the feed that a request can skip. */
export const FEED_OFFSET_MAX = 10_000;
/** Most events on a page of the feed. */
const FEED_LIMIT_MAX = 200;

/** Schema of an event of the feed. */
export const feedEventSchema = z
  .object({
    id: z.string().describe("A drift event beside a check.completed has the same id with the suffix :drift."),
    eventType: z.enum(feedEventTypes.types),
    timestamp: timestampSchema,
    checkId: z.string().nullable(),
    checkName: z.string().nullable(),
    checkType: z.enum(checkTypes.types).nullable(),
    severity: severitySchema.nullable(),
    traceId: z.string().nullable(),
    summary: z.string().nullable(),
    resourceAttributes: z.record(z.string(), z.unknown()),
    attributes: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "FeedEvent" });
/** One event of the feed. */
export type FeedEvent = z.infer<typeof feedEventSchema>;

/** Query of `GET /api/events`. An unknown type or an offset too large is a 400; a limit out of range is clamped. */
export const feedQuerySchema = z.object({
  type: z
    .string()
    .optional()
    .describe(`Comma-separated: ${feedEventTypes.types.join(", ")}.`),
  checkId: idSchema("check").optional(),
  severity: severitySchema.optional().describe("Of alert events; other events are not affected."),
  range: z.enum(Object.keys(FEED_RANGES) as [FeedRange, ...FeedRange[]]).default("24h"),
  limit: z
    .string()
    .regex(/^-?\d{1,18}$/, "expected a whole number")
    .transform((text) => Math.min(FEED_LIMIT_MAX, Math.max(1, Number(text))))
    .default(50)
    .meta({ type: "integer", minimum: 1, maximum: FEED_LIMIT_MAX, pattern: undefined }),
  offset: z
    .string()
    .regex(/^\d{1,18}$/, "expected a whole number, 0 or more")
    .transform(Number)
    .default(0)
    .meta({ type: "integer", minimum: 0, maximum: FEED_OFFSET_MAX, pattern: undefined }),
});
/** Query of GET /api/events, defaults filled in. */
export type FeedQuery = z.infer<typeof feedQuerySchema>;
