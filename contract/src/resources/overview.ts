/**
 * How a team stands as a whole: what fails, who is on it, and whether the picture is complete. Small enough to be read anew with
 * every change: lists are cut, and their counts are not.
 */
import * as z from "zod";
import { idSchema } from "../base/ids.ts";
import { RESULT_STATUSES } from "../base/result-status.ts";
import { severitySchema } from "../base/severity.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { checkTypes } from "../checks/registry.ts";
import { INCIDENT_STATES } from "./incident.ts";
import { countedReasonSchema } from "./team-coverage.ts";

/** Most failing checks that an overview lists. */
export const OVERVIEW_FAILING_MAX = 50;
/** Most open incidents that an overview lists. */
export const OVERVIEW_INCIDENTS_MAX = 5;
/** Newest results of a failing check that an overview shows. */
export const OVERVIEW_RECENT_MAX = 30;
/** Latest entries that an overview lists. */
export const OVERVIEW_LATEST_MAX = 10;

/** Kinds of things that an overview asks people to look at. */
const ATTENTION_KINDS = [
  "check_failing_long",
  "check_never_ran",
  "check_without_rule",
  "rule_without_channel",
  "channel_failing",
  "location_with_one_runner",
  "location_near_capacity",
] as const;

/** Kinds of the latest entries of an overview. */
const LATEST_KINDS = ["alert", "incident", "deployment", "change"] as const;

const count = z.number().int().min(0);
const namedSchema = z.object({ id: z.string(), name: z.string() });

const failingCheckSchema = z.object({
  id: idSchema("check"),
  name: z.string(),
  type: z.enum(checkTypes.types),
  severity: severitySchema.nullable().describe("The highest one of the check's open alerts."),
  sinceAt: timestampSchema.describe(
    "Slot of the first failure after the last success, at the location that fails longest.",
  ),
  locationCount: count.describe("Locations that the check runs at."),
  failingLocations: z.array(namedSchema).describe("Where the newest result is no success."),
  resultId: idSchema("result").describe("The newest failing result."),
  status: z.enum(RESULT_STATUSES).describe("Of that result."),
  errorMessage: z
    .string()
    .nullable()
    .describe("What that result says of the failure, cut after 160 characters."),
  recent: z
    .array(z.enum(RESULT_STATUSES))
    .describe(`The newest ${OVERVIEW_RECENT_MAX} results over all locations, the newest last.`),
});

const slotsSchema = z.object({
  asOf: timestampSchema.describe(
    "When they were counted: up to a minute ago, for teams of more than 500 checks.",
  ),
  from: timestampSchema,
  to: timestampSchema,
  expected: count.describe(
    "Slots of all checks that were due, by their schedules, maintenance windows heeded.",
  ),
  received: count.describe("Slots among them that have a result."),
  missing: z
    .array(
      z.object({
        reason: countedReasonSchema,
        count,
        location: namedSchema.describe("Where most of them are missing."),
      }),
    )
    .describe(
      "Slots without a result by reason, most first. not_explained: of very many, only some are explained.",
    ),
});

const attentionSchema = z.object({
  kind: z.enum(ATTENTION_KINDS),
  count,
  subjects: z.array(namedSchema).describe("The first three."),
});

/** Schema of how a team stands as a whole. */
export const overviewSchema = z
  .object({
    asOf: timestampSchema,
    checks: z
      .object({ total: count, healthy: count, unhealthy: count, unknown: count, disabled: count })
      .describe("Checks by health. A disabled check counts as nothing else."),
    failing: z
      .array(failingCheckSchema)
      .describe(`Unhealthy checks, the gravest and longest first, at most ${OVERVIEW_FAILING_MAX}.`),
    openAlerts: z
      .object({ critical: count, warning: count, info: count })
      .describe("Active and acknowledged alerts by severity."),
    openIncidentCount: count.describe("Open and acknowledged incidents."),
    unacknowledged: z
      .object({ alerts: count, incidents: count })
      .describe("Those among them that nobody has acknowledged."),
    openIncidents: z
      .array(
        z.object({
          id: idSchema("incident"),
          title: z.string(),
          severity: severitySchema,
          state: z.enum(INCIDENT_STATES),
          openedAt: timestampSchema,
          acknowledgedByName: z.string().nullable(),
          hypothesis: z.string().describe("Summary of the hypothesis, cut after 240 characters."),
        }),
      )
      .describe(`The newest, at most ${OVERVIEW_INCIDENTS_MAX}.`),
    slots: slotsSchema
      .nullable()
      .describe("Slots of the last 24 h; null: they can't be counted at the moment."),
    responseTime: z
      .object({
        nowMs: z.number().describe("Mean over the last 15 minutes that are counted."),
        usualMs: z
          .number()
          .nullable()
          .describe("Mean of this hour of the day over the last 7 days; null: none was counted."),
      })
      .nullable()
      .describe(
        "Of the check locations that have both, each with one weight; null: no results in those minutes.",
      ),
    slosAtRisk: z
      .object({
        count,
        judged: count.describe("Enabled SLOs, at most 100, the newest."),
        worst: z.array(
          namedSchema.extend({
            budgetLeft: z.number().describe("Share of the error budget that is left, from 0 to 1."),
            burnRate1h: z.number(),
          }),
        ),
      })
      .describe("SLOs with less than a quarter of their error budget, or that burn it faster than they may."),
    locations: z.object({
      total: count.describe("Locations that checks run at."),
      active: count,
      notActive: z
        .array(namedSchema.extend({ health: z.enum(["degraded", "offline", "retired"]) }))
        .describe("At most 5."),
    }),
    channelsFailing: z
      .object({ count, first: z.array(namedSchema) })
      .describe("Channels whose newest delivery failed; the first three."),
    certificates: z
      .object({
        count,
        next: z.object({ checkId: idSchema("check"), host: z.string(), validTo: timestampSchema }).nullable(),
      })
      .describe("Hosts whose certificate ends within 30 days, and the one that ends first."),
    telemetry: z
      .object({
        state: z.enum(["off", "waiting", "exporting", "failing"]),
        lagSeconds: z.number(),
        lastError: z.string().nullable(),
      })
      .describe("The export of telemetry: its worst signal."),
    attention: z.array(attentionSchema),
    setUp: z
      .object({ channel: z.boolean(), rule: z.boolean(), deploy: z.boolean() })
      .describe(
        "First steps that were done: there is a channel; there is an alert rule; something was deployed from a file.",
      ),
    latest: z
      .array(
        z.object({
          kind: z.enum(LATEST_KINDS),
          id: z.string().describe("Of the alert, incident, deployment, or of the changed record."),
          at: timestampSchema,
          what: z
            .string()
            .describe("State of the alert or incident; `deployed`; or the action of the change."),
          name: z.string(),
          type: z.string().nullable().describe("Type of the changed record."),
        }),
      )
      .describe(`The newest alerts, incidents, deployments and changes, at most ${OVERVIEW_LATEST_MAX}.`),
  })
  .meta({ id: "Overview" });
/** How a team stands as a whole. */
export type Overview = z.output<typeof overviewSchema>;
