/** The maintenance window resource: times at which checks are paused, or run with their alerts muted. */
import * as z from "zod";
import { uniqueItems } from "../base/fields.ts";
import { idSchema } from "../base/ids.ts";
import { nameSchema } from "../base/name-schema.ts";
import { closedObject, readOnlyField } from "../base/objects.ts";
import { recurrenceRuleProblem } from "../base/recurrence-rule.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { timezoneSchema } from "../base/timezone-schema.ts";

/** Modes of a window. pause: its checks don't run; continue: its checks run and their alerts are muted. */
export const MAINTENANCE_MODES = ["pause", "continue"] as const;
/** Mode of a maintenance window. */
export type MaintenanceMode = (typeof MAINTENANCE_MODES)[number];

const LOCAL_OR_ABSOLUTE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/;

/**
 * Schema of an ISO 8601 date and time. A text without an offset or Z is wall time in the window's time zone. One mistake is
 * one issue: a later rule holds for texts that the earlier ones let pass.
 */
export const windowInstantSchema = z
  .string()
  .regex(LOCAL_OR_ABSOLUTE, 'expected an ISO 8601 date and time, e.g. "2026-11-21T22:00:00Z"')
  .refine((text) => !LOCAL_OR_ABSOLUTE.test(text) || isDateAndTime(text), "no such date or time")
  .refine(
    (text) => !LOCAL_OR_ABSOLUTE.test(text) || !isDateAndTime(text) || isYearWithin(text),
    "expected a year from 1970 to 2199",
  );

/** True when the calendar and the clock have the date and time of a text of the right form. */
function isDateAndTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text)) && isCalendarDay(text.slice(0, 10));
}

function isYearWithin(text: string): boolean {
  const year = Number(text.slice(0, 4));
  return year >= 1970 && year <= 2199;
}

/** True when the calendar has the day. `Date.parse` alone takes 30 February for 2 March. */
function isCalendarDay(day: string): boolean {
  const atMs = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(day);
}

/** Schema of the name of a maintenance window. */
const windowNameSchema = nameSchema({ charactersMax: 255 });

const checkIdsSchema = z
  .union(
    [
      z.literal("all"),
      z
        .array(z.string().min(1).max(128))
        .min(1, "at least one check")
        .max(10_000, "at most 10000 checks")
        .superRefine(uniqueItems),
    ],
    'expected "all" or a list of check ids',
  )
  .describe('The checks it holds for: ids, or "all" for each check of the team, later ones too.');

const recurrenceRuleSchema = z
  .string()
  .min(1, "a rule has at least 1 character")
  .max(1_000, "a rule has at most 1000 characters")
  .superRefine((text, context) => {
    const message = recurrenceRuleProblem(text);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  })
  .describe(
    "RFC 5545 RRULE text, e.g. FREQ=WEEKLY;BYDAY=SU. Expanded in the window's time zone from startsAt on.",
  );

const readOnlyFields = {
  id: readOnlyField,
  teamId: readOnlyField,
  active: readOnlyField,
  nextStartsAt: readOnlyField,
  createdAt: readOnlyField,
  updatedAt: readOnlyField,
};

/** Body of POST /api/maintenance-windows. The service checks that endsAt is after startsAt, as both need the time zone. */
export const createMaintenanceWindowSchema = closedObject({
  name: windowNameSchema,
  mode: z.enum(MAINTENANCE_MODES).default("pause"),
  checkIds: checkIdsSchema,
  startsAt: windowInstantSchema,
  endsAt: windowInstantSchema,
  recurring: z.boolean().default(false),
  recurrenceRule: recurrenceRuleSchema.nullable().default(null),
  timezone: timezoneSchema.default("UTC"),
  ...readOnlyFields,
});
/** Body of the request that creates a maintenance window, defaults filled in. */
export type CreateMaintenanceWindow = z.infer<typeof createMaintenanceWindowSchema>;

/** Body of POST /api/maintenance-windows/preview: a window that need not say for which checks it is. */
export const previewMaintenanceWindowSchema = createMaintenanceWindowSchema.extend({
  checkIds: checkIdsSchema.optional(),
  name: windowNameSchema.default("preview"),
});

/** Schema of when an occurrence begins and ends. */
export const occurrenceTimesSchema = z.object({ startsAt: timestampSchema, endsAt: timestampSchema });
/** Begin and end of an occurrence. */
export type OccurrenceTimes = z.infer<typeof occurrenceTimesSchema>;

/** Body of PUT /api/maintenance-windows/:id: any part. */
export const updateMaintenanceWindowSchema = closedObject({
  name: windowNameSchema.optional(),
  mode: z.enum(MAINTENANCE_MODES).optional(),
  checkIds: checkIdsSchema.optional(),
  startsAt: windowInstantSchema.optional(),
  endsAt: windowInstantSchema.optional(),
  recurring: z.boolean().optional(),
  recurrenceRule: recurrenceRuleSchema.nullable().optional(),
  timezone: timezoneSchema.optional(),
  ...readOnlyFields,
});
/** Body of the request that changes a maintenance window. Absent fields stay as they are. */
export type UpdateMaintenanceWindow = z.infer<typeof updateMaintenanceWindowSchema>;

/** Schema of a maintenance window. */
export const maintenanceWindowSchema = z
  .object({
    id: idSchema("maintenanceWindow"),
    teamId: idSchema("team"),
    name: z.string(),
    mode: z.enum(MAINTENANCE_MODES),
    checkIds: z.union([z.literal("all"), z.array(idSchema("check"))]),
    startsAt: timestampSchema.describe("Of the first occurrence."),
    endsAt: timestampSchema.describe("Of the first occurrence; the later ones last as long."),
    recurring: z.boolean(),
    recurrenceRule: z.string().nullable(),
    timezone: z.string(),
    active: z.boolean().describe("Whether it holds now."),
    nextStartsAt: timestampSchema.nullable().describe("When it starts next; null: it does not."),
    createdAt: timestampSchema,
    updatedAt: timestampSchema.nullable(),
  })
  .meta({ id: "MaintenanceWindow" });
/** A maintenance window. */
export type MaintenanceWindow = z.infer<typeof maintenanceWindowSchema>;

/** Most occurrences in one answer. */
const OCCURRENCES_MAX = 100;

/** Schema of the query of the next occurrences. */
export const occurrencesQuerySchema = z.object({
  limit: z
    .string()
    .regex(/^\d{1,3}$/, "expected a whole number")
    .transform(Number)
    .pipe(z.number().min(1, "smallest is 1").max(OCCURRENCES_MAX, `largest is ${OCCURRENCES_MAX}`))
    .default(10)
    .meta({ type: "integer", minimum: 1, maximum: OCCURRENCES_MAX, pattern: undefined }),
});

/** Schema of one occurrence of a window. */
export const maintenanceOccurrenceSchema = z
  .object({
    maintenanceWindowId: idSchema("maintenanceWindow"),
    name: z.string(),
    mode: z.enum(MAINTENANCE_MODES),
    startsAt: timestampSchema,
    endsAt: timestampSchema,
    timezone: z.string().describe("Of the window: in it, occurrences stay at one time of the day."),
  })
  .meta({ id: "MaintenanceOccurrence" });
/** One occurrence of a maintenance window. */
export type MaintenanceOccurrence = z.infer<typeof maintenanceOccurrenceSchema>;
