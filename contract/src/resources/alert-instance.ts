/** The alert instance resource: one occurrence of an alert rule's conditions, from its trigger to its end. */
import * as z from "zod";
import { actorNameSchema } from "../base/actor-name.ts";
import { idSchema } from "../base/ids.ts";
import { pageQuerySchema } from "../base/list-page.ts";
import { closedObject } from "../base/objects.ts";
import { SEVERITIES, severitySchema } from "../base/severity.ts";
import { timeRangeQuery } from "../base/time-range-query.ts";
import { timestampSchema } from "../base/timestamp.ts";

/** States: active -> acknowledged -> recovered (by results) or resolved (by someone); the last two are final. */
export const ALERT_STATES = ["active", "acknowledged", "recovered", "resolved"] as const;
/** State of an alert instance. */
export type AlertState = (typeof ALERT_STATES)[number];

/** Types of events in the history of an alert instance. */
const ALERT_EVENT_TYPES = [
  "triggered",
  "acknowledged",
  "recovered",
  "resolved",
  "escalated",
  "muted",
  "unmuted",
  "notified",
  "held",
  "released",
] as const;
/** Type of an event in the history of an alert instance. */
export type AlertEventType = (typeof ALERT_EVENT_TYPES)[number];

/**
 * Causes for which the service holds an alert's notifications back: a check that its check depends on fails, or the locations where it
 * fails can't reach their targets.
 */
export const HOLD_REASONS = ["dependency", "location"] as const;
/** Cause for which the service holds an alert's notifications back. */
export type HoldReason = (typeof HOLD_REASONS)[number];

/** Schema of why nobody is notified of an alert by itself. */
const heldBackSchema = z
  .object({
    reason: z.enum(HOLD_REASONS),
    text: z.string().describe("One line for people: held back: depends on Database, which is failing."),
    instanceId: idSchema("alertInstance")
      .nullable()
      .describe("The alert of the check that it depends on; null while that is being found out."),
    checkId: idSchema("check").nullable().describe("The check that fails, on which it depends."),
    checkName: z.string().nullable(),
    locationId: idSchema("location")
      .nullable()
      .optional()
      .describe(
        "The location that can't reach its targets, where the check fails; of several, which the text names, the first. null or absent: none.",
      ),
    incidentId: idSchema("incident")
      .nullable()
      .optional()
      .describe("The incident of that location; null while it is being opened."),
  })
  .meta({ id: "HeldBack" });
/** Why nobody is notified of an alert by itself. */
export type HeldBack = z.infer<typeof heldBackSchema>;

/** Schema of an instance as lists show it. */
export const alertInstanceSummarySchema = z
  .object({
    id: idSchema("alertInstance"),
    ruleId: idSchema("alertRule"),
    checkId: idSchema("check").nullable().describe("null: of no check, but of an SLO of a third party."),
    state: z.enum(ALERT_STATES),
    severity: severitySchema,
    startedAt: timestampSchema,
    acknowledgedAt: timestampSchema.nullable(),
    recoveredAt: timestampSchema.nullable(),
    resolvedAt: timestampSchema.nullable(),
    durationMs: z.number().nullable().describe("From start to end; null while it lasts."),
    notificationCount: z.number(),
    contextJson: z
      .record(z.string(), z.unknown())
      .describe("What made it fire: per condition the threshold, the observed value and the result ids."),
    muted: z.boolean(),
    ruleName: z.string().nullable(),
    checkName: z.string().nullable(),
    heldBack: heldBackSchema
      .optional()
      .describe(
        "Present while its notifications are held back, and of an alert that ended before they were sent.",
      ),
  })
  .meta({ id: "AlertInstanceSummary" });
/** An alert instance as lists answer it, with the names of its rule and check. */
export type AlertInstanceSummary = z.infer<typeof alertInstanceSummarySchema>;

/** Schema of an alert instance with the evidence that made it fire. */
export const alertInstanceSchema = alertInstanceSummarySchema
  .extend({
    teamId: idSchema("team"),
    triggeringResultId: idSchema("result").nullable(),
    triggeringTraceId: z.string().nullable(),
    recoveryResultId: idSchema("result").nullable(),
    acknowledgedBy: z.string().nullable(),
    acknowledgedByName: actorNameSchema,
    mutedUntil: timestampSchema.nullable().describe("When a mute of someone's ends by itself."),
  })
  .meta({ id: "AlertInstance" });
/** An alert instance with all its fields. */
export type AlertInstance = z.infer<typeof alertInstanceSchema>;

/** Schema of an event in the history of an alert instance. */
export const alertInstanceEventSchema = z
  .object({
    id: z.string(),
    instanceId: idSchema("alertInstance"),
    type: z.enum(ALERT_EVENT_TYPES),
    actorId: z.string().nullable().describe("User or API key; null: the service itself."),
    actorName: actorNameSchema,
    createdAt: timestampSchema,
  })
  .meta({ id: "AlertInstanceEvent" });
/** One event in the history of an alert instance. */
export type AlertInstanceEvent = z.infer<typeof alertInstanceEventSchema>;

/** Returns the schema of a query that names some members of a closed set. */
function someOf<const Member extends string>(members: readonly [Member, ...Member[]]) {
  return z
    .string()
    .transform((text) => text.split(",").map((member) => member.trim()))
    .pipe(z.array(z.enum(members)))
    .optional()
    .meta({ type: "string", description: `Comma-separated: ${members.join(", ")}.` });
}

/** Schema of the query of the list of alert instances. */
export const alertInstancesQuerySchema = z.object({
  state: someOf(ALERT_STATES),
  severity: someOf(SEVERITIES),
  checkId: z.string().max(128).optional(),
  label: z.string().max(200).optional().describe("Only alerts of checks that have this label now."),
  from: timeRangeQuery.from.describe("Only alerts that began at this instant or later."),
  to: timeRangeQuery.to.describe("Only alerts that began before this instant."),
  ...pageQuerySchema.shape,
});
/** Which alert instances a list has. */
export type AlertInstancesFilter = Omit<
  z.infer<typeof alertInstancesQuerySchema>,
  "limit" | "offset" | "cursor"
>;

/** Body of POST /api/alerts/instances/:id/mute. Without `until` the mute lasts until it is lifted or the instance ends. */
export const muteInstanceSchema = closedObject({
  until: z.iso.datetime({ offset: true, error: "expected an ISO 8601 date and time" }).optional(),
});
/** Body of the request that mutes an alert instance. */
export type MuteInstance = z.infer<typeof muteInstanceSchema>;
