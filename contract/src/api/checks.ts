/** Routes of checks. */
import * as z from "zod";
import { errorSchema } from "../base/error-schema.ts";
import { idSchema } from "../base/ids.ts";
import { cursorPageQuerySchema, cursorQuery, nextCursorField } from "../base/list-page.ts";
import { successSchema } from "../base/success.ts";
import { checkSchema, checkSummarySchema, createCheckSchema, updateCheckSchema } from "../resources/check.ts";
import { checkAsCodeSchema } from "../resources/check-as-code.ts";
import { BULK_CHECKS_MAX, bulkChecksSchema, bulkOutcomesSchema } from "../resources/check-bulk.ts";
import { checksSummarySchema, SUMMARY_CHECKS_MAX } from "../resources/checks-summary.ts";
import { resultSchema } from "../resources/result.ts";
import { SELECTED_CHECKS_MAX, teamAsCodeSchema } from "../resources/team-as-code.ts";
import { maskedCheckQuery } from "./masked-query.ts";
import { defineRoute } from "./route.ts";

/**
 * Limits of triggered runs: triggers of one check in 10 s, and dispatched runs of a team in a minute. A trigger
 * beyond either is refused.
 */
export const TRIGGER_LIMITS = { checkTriggersMax: 10, teamRunsMax: 300 } as const;

const tag = "Checks";
const params = z.object({ id: idSchema("check") });
const oneCheck = z.object({ check: checkSchema });

/** Routes of checks, by operation. */
export const checkRoutes = {
  list: defineRoute({
    method: "GET",
    path: "/api/checks",
    access: "reads",
    tag,
    summary: "List the team's checks, newest first",
    description:
      "Without `limit` and `cursor` the answer holds all checks. `view=summary` leaves the configurations out.",
    query: cursorPageQuerySchema.extend({
      ...maskedCheckQuery,
      view: z.enum(["full", "summary"]).default("full").describe("summary: without `configJson`."),
    }),
    answer: z.object({ checks: z.array(z.union([checkSchema, checkSummarySchema])), ...nextCursorField }),
  }),
  getSummary: defineRoute({
    method: "GET",
    path: "/api/checks/summary",
    access: "reads",
    isReport: true,
    forDisplays: true,
    tag,
    summary: "Tell how all checks stand, in columns",
    description: `Without configurations and secrets; newest checks first, at most ${SUMMARY_CHECKS_MAX} in an answer. What it says is up to a second old; the availability up to a minute.`,
    query: z.object({ cursor: cursorQuery }),
    answer: checksSummarySchema,
  }),
  create: defineRoute({
    method: "POST",
    path: "/api/checks",
    access: "changes",
    tag,
    summary: "Create a check; an enabled one runs at once",
    body: createCheckSchema,
    status: 201,
    answer: oneCheck,
    versioned: "check",
  }),
  get: defineRoute({
    method: "GET",
    path: "/api/checks/:id",
    access: "reads",
    tag,
    summary: "Get a check with its 50 newest results",
    params,
    query: z.object(maskedCheckQuery),
    answer: oneCheck.extend({ results: z.array(resultSchema) }),
    versioned: "check",
  }),
  getAsCode: defineRoute({
    method: "GET",
    path: "/api/checks/:id/as-code",
    access: "reads",
    tag,
    summary: "Get a check as the files of a config, with its alert rules, channels and SLOs",
    description: "Credentials are written as `{{secrets.NAME}}`; request bodies and scripts as they are.",
    params,
    answer: checkAsCodeSchema,
  }),
  getTeamAsCode: defineRoute({
    method: "GET",
    path: "/api/as-code",
    access: "reads",
    tag,
    summary:
      "Get all checks, alert rules, channels, SLOs and third-party patterns as the files of one config",
    description:
      "What `svc pull` writes: `svc diff` in a folder with these files finds nothing to change. Credentials are written as `{{secrets.NAME}}`; request bodies and scripts as they are.",
    query: z.object({
      project: z.string().min(1).max(100).default("project").describe("Name of the project."),
      checkIds: z
        .string()
        .max(4_000)
        .optional()
        .transform((text) => text?.split(",").filter((id) => id !== ""))
        .pipe(
          z
            .array(idSchema("check"))
            .max(SELECTED_CHECKS_MAX, `at most ${SELECTED_CHECKS_MAX} ids`)
            .optional(),
        )
        .meta({
          type: "string",
          description: `Only these checks, with their alert rules, channels and SLOs: at most ${SELECTED_CHECKS_MAX} ids, with commas between them.`,
        }),
    }),
    answer: teamAsCodeSchema,
    otherAnswers: { 404: errorSchema },
  }),
  update: defineRoute({
    method: "PUT",
    path: "/api/checks/:id",
    access: "changes",
    tag,
    summary: "Change a check",
    description:
      "A `***` of a masked read keeps the stored secret, and is refused where none is stored or the URL around it has changed.",
    params,
    query: z.object(maskedCheckQuery),
    body: updateCheckSchema,
    answer: oneCheck,
    versioned: "check",
    acceptsIfMatch: true,
  }),
  delete: defineRoute({
    method: "DELETE",
    path: "/api/checks/:id",
    access: "changes",
    tag,
    summary: "Delete a check and its results",
    params,
    answer: successSchema,
    acceptsIfMatch: true,
  }),
  changeMany: defineRoute({
    method: "POST",
    path: "/api/checks/bulk",
    access: "changes",
    tag,
    summary: "Do one thing to many checks",
    description: `Each check is changed by itself, as the route for one check does, and answered for by itself: \`done\`, \`refused\` with the reason, or \`not_tried\` when the request had taken too long already. At most ${BULK_CHECKS_MAX} checks; send the others, and those not tried, in further requests.`,
    body: bulkChecksSchema,
    answer: bulkOutcomesSchema,
  }),
  rotatePushUrl: defineRoute({
    method: "POST",
    path: "/api/checks/:id/push-url",
    access: "changes",
    tag,
    summary: "Give a check that reports by itself another URL to report to",
    description: "The former URL is not known from then on: 404. A check that is probed has none: 400.",
    params,
    answer: oneCheck,
  }),
  trigger: defineRoute({
    method: "POST",
    path: "/api/checks/:id/trigger",
    access: "changes",
    tag,
    summary: "Run a check now, in each of its locations",
    description: `In locations where a triggered run of the check is still open, the trigger joins that run instead of ordering another. Beyond ${TRIGGER_LIMITS.checkTriggersMax} triggers of a check in 10 s, or ${TRIGGER_LIMITS.teamRunsMax} triggered runs of a team in a minute (one per triggered check and location), 429 with Retry-After.`,
    params,
    answer: z.object({
      triggered: z.literal(true),
      locations: z.number(),
      runId: idSchema("run")
        .nullable()
        .describe("The run that was ordered, else the newest that was joined; null: there is no location."),
    }),
  }),
};
