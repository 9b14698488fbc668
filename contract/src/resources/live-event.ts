/**
 * Events of the live stream: what a page has to know at once, as differences or as a hint to read something anew. They hold
 * nothing that the REST routes for viewers don't answer.
 */
import * as z from "zod";
import { idSchema } from "../base/ids.ts";
import { RESULT_STATUSES } from "../base/result-status.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { alertInstanceSummarySchema } from "./alert-instance.ts";
import { changeSchema } from "./change.ts";
import { checkHealthSchema } from "./check-health.ts";

/** Subjects that a stream can be limited to; each is the name of its event. */
export const LIVE_TOPICS = [
  "states",
  "results",
  "alert",
  "incident",
  "location",
  "deployment",
  "change",
] as const;
/** Subject of an event of the live stream. */
export type LiveTopic = (typeof LIVE_TOPICS)[number];

/** Most checks in one `states` event; further ones follow in the next. */
export const LIVE_STATES_MAX = 500;
/** Most checks of which one stream carries every result. */
const LIVE_CHECKS_MAX = 20;
/** Time between two pings. A stream that was silent for longer is not live. */
export const LIVE_PING_INTERVAL_MS = 15_000;

const liveResultSchema = z.object({
  id: idSchema("result"),
  locationId: idSchema("location"),
  slotAt: timestampSchema,
  status: z.enum(RESULT_STATUSES),
  responseTimeMs: z.number(),
});

const liveStateSchema = z.object({
  checkId: idSchema("check"),
  health: checkHealthSchema.shape.health,
  failingLocations: checkHealthSchema.shape.failingLocations,
  results: z.array(liveResultSchema).describe("The newest of each location where the status changed."),
});
/** A check whose state changed at one of its locations. */
export type LiveState = z.infer<typeof liveStateSchema>;
/** A result as the stream carries it. */
export type LiveResult = z.infer<typeof liveResultSchema>;

const serverTime = timestampSchema.describe("The service's clock.");
const none = z.null().describe("Unknown, since the record is gone.");

/** Schemas of the data of each event, by the event's name. */
export const liveEventSchemas = {
  hello: z.object({
    serverTime,
    pingIntervalMs: z.number().describe("A stream that is silent for longer carries nothing any more."),
  }),
  states: z.object({ states: z.array(liveStateSchema).max(LIVE_STATES_MAX) }),
  results: z.object({ checkId: idSchema("check"), results: z.array(liveResultSchema) }),
  alert: z.object({
    alertId: idSchema("alertInstance"),
    checkId: z.union([idSchema("check"), none]),
    type: z.string().describe("What happened, such as `triggered`."),
    state: alertInstanceSummarySchema.shape.state.describe("The alert's state after it."),
    severity: alertInstanceSummarySchema.shape.severity,
  }),
  incident: z.object({
    incidentId: idSchema("incident"),
    type: z.string().describe("What happened, such as `opened`."),
    state: z.string().describe("The incident's state after it."),
    severity: z.string(),
    title: z.string(),
  }),
  location: z.object({
    locationId: idSchema("location"),
    health: z.string().optional().describe("Of a private location whose health changed."),
    status: z.string().optional().describe("Of a hosted location whose status changed."),
  }),
  deployment: z.object({
    deploymentId: idSchema("deployment"),
    service: z.string(),
    version: z.string(),
  }),
  change: z.object({
    type: changeSchema.shape.type,
    action: changeSchema.shape.action,
    resourceId: z.string(),
  }),
  ping: z.object({ serverTime }),
  resync: z.object({ reason: z.string().describe("Why events may be missing: read everything anew.") }),
  bye: z.object({
    reason: z
      .enum(["stopping", "credential"])
      .describe(
        "Why the stream ends. stopping: this replica stops, connect again; credential: the key, the session or the membership is no more.",
      ),
  }),
} as const satisfies Record<LiveTopic, z.ZodType> & Record<string, z.ZodType>;

/** Name of an event of the live stream. */
export type LiveEventName = keyof typeof liveEventSchemas;
/** Data of an event of the live stream. */
export type LiveEventData<Name extends LiveEventName> = z.infer<(typeof liveEventSchemas)[Name]>;
/** An event of the live stream with its name. */
export type LiveEvent = { [Name in LiveEventName]: { name: Name; data: LiveEventData<Name> } }[LiveEventName];

/** Schema of the data of any event. */
export const liveEventDataSchema = z.union(Object.values(liveEventSchemas)).meta({ id: "LiveEventData" });

const topicsQuery = z
  .string()
  .max(200)
  .transform((text) => text.split(",").map((topic) => topic.trim()))
  .pipe(z.array(z.enum(LIVE_TOPICS, `expected some of: ${LIVE_TOPICS.join(", ")}`)))
  .optional()
  .meta({ type: "string", description: `Comma-separated: ${LIVE_TOPICS.join(", ")}. Default: all.` });

/** Schema of the query of the live stream. */
export const liveQuerySchema = z.object({
  topics: topicsQuery,
  checkId: z
    .string()
    .max(1_000)
    .transform((text) => text.split(",").map((id) => id.trim()))
    .pipe(z.array(idSchema("check")).max(LIVE_CHECKS_MAX, `at most ${LIVE_CHECKS_MAX} checks`))
    .optional()
    .meta({
      type: "string",
      description: `Comma-separated: checks of which \`results\` events carry every result, at most ${LIVE_CHECKS_MAX}.`,
    }),
});
