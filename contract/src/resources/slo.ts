/** The SLO resource: a target for the share of good results over a rolling window, and the state of its error budget. */
import * as z from "zod";
import { uniqueItems } from "../base/fields.ts";
import { idSchema } from "../base/ids.ts";
import { pageQuerySchema } from "../base/list-page.ts";
import { nameSchema } from "../base/name-schema.ts";
import { closedObject, readOnlyField } from "../base/objects.ts";
import { HOUR_MS } from "../base/time.ts";
import { timestampSchema } from "../base/timestamp.ts";

/** Types of SLOs. check: over one check's results; third_party: over third-party requests that match a pattern. */
const SLO_TYPES = ["check", "third_party"] as const;
/** Type of an SLO. */
export type SloType = (typeof SLO_TYPES)[number];
/** Types of SLIs. availability: each success is good; performance: each success within `perfThresholdMs` is good. */
export const SLI_TYPES = ["availability", "performance"] as const;
/** Type of an SLI: which results count as good. */
export type SliType = (typeof SLI_TYPES)[number];
/** Scopes of an SLO: one check, or all checks of the team that depend on a third party. */
const SLO_SCOPES = ["check", "team"] as const;
/** Scope of an SLO. */
export type SloScope = (typeof SLO_SCOPES)[number];
/** Windows that an SLO can have, days. */
const SLO_WINDOW_DAYS = [7, 14, 30] as const;
/** An hour, which is longer than any run lasts. */
const PERF_THRESHOLD_MS_MAX = HOUR_MS;

/** Schema of the name of an SLO. */
export const sloNameSchema = nameSchema({ charactersMax: 255 });

/** Schema of the target of an SLO, in basis points: 9990 is 99.9 %. */
const targetBasisPointsSchema = z
  .int("expected a whole number of basis points")
  .min(1, "smallest is 1")
  .max(9_999, "largest is 9999")
  .describe("Hundredths of a percent: 9990 is 99.90 percent.");

const windowDaysSchema = z.literal(SLO_WINDOW_DAYS, "expected 7, 14 or 30");

const channelIdsSchema = z
  .array(z.string().min(1).max(128))
  .max(50, "at most 50 channels")
  .superRefine(uniqueItems)
  .describe("Whom the generated burn-rate alerts tell; without one there are none.");

const perfThresholdMsSchema = z
  .int("expected a whole number of milliseconds")
  .min(1, "smallest is 1")
  .max(PERF_THRESHOLD_MS_MAX, `largest is ${PERF_THRESHOLD_MS_MAX}`)
  .describe("A success counts as good up to this response time. Performance SLIs only.");

const checkReferenceSchema = z.string().min(1).max(128);
const patternIdSchema = z.string().min(1).max(255);

const readOnlyFields = {
  id: readOnlyField,
  teamId: readOnlyField,
  checkName: readOnlyField,
  createdAt: readOnlyField,
  updatedAt: readOnlyField,
};

/** Body of POST /api/slos. */
export const createSloSchema = closedObject({
  sloType: z.enum(SLO_TYPES).default("check"),
  checkId: checkReferenceSchema.nullable().default(null).describe("Required for sloType check."),
  patternId: patternIdSchema
    .nullable()
    .default(null)
    .describe("Id of a third-party pattern. Required for sloType third_party."),
  name: sloNameSchema,
  sliType: z.enum(SLI_TYPES).default("availability"),
  perfThresholdMs: perfThresholdMsSchema.nullable().default(null),
  scope: z.enum(SLO_SCOPES).optional().describe("Follows from sloType: check, or team for third_party."),
  targetBasisPoints: targetBasisPointsSchema,
  windowDays: windowDaysSchema,
  burnRateAlertsEnabled: z.boolean().default(true),
  channelIds: channelIdsSchema.default([]),
  enabled: z.boolean().default(true),
  ...readOnlyFields,
}).superRefine((body, context) => {
  const refuse = (field: keyof typeof body, message: string) =>
    context.addIssue({ code: "custom", path: [field], message });
  const isOfCheck = body.sloType === "check";
  if (isOfCheck && body.checkId === null) refuse("checkId", "required for an SLO of type check");
  if (isOfCheck && body.patternId !== null) refuse("patternId", "only taken by SLOs of type third_party");
  if (!isOfCheck && body.checkId !== null) refuse("checkId", TEAM_WIDE_CHECK_MESSAGE);
  if (!isOfCheck && body.patternId === null) refuse("patternId", "required for an SLO of type third_party");
  if (body.scope !== undefined && body.scope !== sloScopeOf(body.sloType))
    refuse("scope", `an SLO of type ${body.sloType} has the scope ${sloScopeOf(body.sloType)}`);
  if (!isOfCheck && body.sliType === "performance") refuse("sliType", AVAILABILITY_ONLY_MESSAGE);
  const threshold = perfThresholdProblem(body.sliType, body.perfThresholdMs);
  if (threshold) refuse("perfThresholdMs", threshold);
});
/** Body of the request that creates an SLO, defaults filled in. */
export type CreateSlo = z.infer<typeof createSloSchema>;

/** Message for a third-party SLO that names a check. */
export const TEAM_WIDE_CHECK_MESSAGE = "checkId cannot be set on team-wide SLOs";

/** Message for a third-party SLO with a performance SLI. */
export const AVAILABILITY_ONLY_MESSAGE =
  "an SLO of type third_party is about availability: requests to a third party have no response time of a check";

/** Returns the scope of an SLO: one check, or the whole team's traffic. */
export function sloScopeOf(sloType: SloType): SloScope {
  return sloType === "check" ? "check" : "team";
}

/** Returns a sentence about a threshold that does not fit the type of SLI, or undefined when the threshold fits. */
export function perfThresholdProblem(sliType: SliType, perfThresholdMs: number | null): string | undefined {
  if (sliType === "performance" && perfThresholdMs === null) return "required for performance SLIs";
  if (sliType === "availability" && perfThresholdMs !== null) return "only taken by performance SLIs";
  return undefined;
}

/** Body of PUT /api/slos/:id: any of the fields. Fields that can't change may be repeated with their present values. */
export const updateSloSchema = closedObject({
  name: sloNameSchema.optional(),
  checkId: checkReferenceSchema.nullable().optional(),
  targetBasisPoints: targetBasisPointsSchema.optional(),
  windowDays: windowDaysSchema.optional(),
  burnRateAlertsEnabled: z.boolean().optional(),
  channelIds: channelIdsSchema.optional(),
  enabled: z.boolean().optional(),
  perfThresholdMs: perfThresholdMsSchema.nullable().optional(),
  sloType: z.enum(SLO_TYPES).optional().describe("Can't change."),
  sliType: z.enum(SLI_TYPES).optional().describe("Can't change."),
  scope: z.enum(SLO_SCOPES).optional().describe("Can't change."),
  patternId: patternIdSchema.nullable().optional().describe("Can't change."),
  ...readOnlyFields,
});
/** Body of the request that changes an SLO. Absent fields stay as they are. */
export type UpdateSlo = z.infer<typeof updateSloSchema>;

/** An SLO as the API answers it. */
export const sloSchema = z
  .object({
    id: idSchema("slo"),
    teamId: idSchema("team"),
    checkId: idSchema("check").nullable().describe("null: of no check (third_party)."),
    checkName: z.string().nullable(),
    name: z.string(),
    targetBasisPoints: z.number(),
    windowDays: z.number(),
    burnRateAlertsEnabled: z.boolean(),
    channelIds: z.array(idSchema("channel")),
    enabled: z.boolean(),
    sloType: z.enum(SLO_TYPES),
    patternId: idSchema("thirdPartyPattern").nullable().describe("null: of no third party (check)."),
    sliType: z.enum(SLI_TYPES),
    perfThresholdMs: z.number().nullable(),
    scope: z.enum(SLO_SCOPES),
    createdAt: timestampSchema,
    updatedAt: timestampSchema.nullable(),
  })
  .meta({ id: "Slo" });
/** An SLO without its status. */
export type Slo = z.infer<typeof sloSchema>;

/** Schema of the query of the list of SLOs. */
export const slosQuerySchema = z.object({
  checkId: z.string().max(128).optional(),
  sloType: z.enum(SLO_TYPES).optional(),
  ...pageQuerySchema.shape,
});
/** Query of GET /api/slos. */
export type SlosQuery = z.infer<typeof slosQuerySchema>;

const burnRateSchema = z
  .number()
  .describe(
    "How fast the budget was spent: 1 spends it exactly over the window. 0 while there is no result.",
  );
const budgetSchema = z.number().describe("Estimated minutes: the share of results times the window.");

/** Schema of an SLO's current state. Shares and rates exclude results within maintenance windows. */
export const sloStatusSchema = z
  .object({
    sloId: idSchema("slo"),
    checkId: idSchema("check").nullable(),
    patternId: idSchema("thirdPartyPattern").nullable(),
    name: z.string(),
    sloType: z.enum(SLO_TYPES),
    sliType: z.enum(SLI_TYPES),
    targetBasisPoints: z.number(),
    windowDays: z.number(),
    availability: z.number().describe("Successes / results, 0-1; 1 while there is no result."),
    totalCount: z
      .number()
      .describe("Results; of a third_party SLO the requests to the hosts of its pattern."),
    successCount: z.number().describe("Successes; requests that were answered without an error or a 5xx."),
    avgDurationMs: z
      .number()
      .nullable()
      .describe("Of the response times of all results; null: no result, or an SLO of third_party."),
    perfComplianceRatio: z
      .number()
      .nullable()
      .describe("Successes within perfThresholdMs / results, 0-1; null for availability SLIs."),
    errorBudgetTotal: budgetSchema,
    errorBudgetConsumed: budgetSchema,
    errorBudgetRemaining: budgetSchema,
    budgetConsumedRatio: z.number().describe("0-1."),
    burnRate1h: burnRateSchema,
    burnRate6h: burnRateSchema,
    burnRate24h: burnRateSchema,
  })
  .meta({ id: "SloStatus" });
/** The counted results, error budget and burn rates of an SLO at one instant. */
export type SloStatus = z.infer<typeof sloStatusSchema>;
