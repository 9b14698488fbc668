/** The monthly report: how available a team's checks were in a calendar month in UTC, and how much of it was measured. */
import * as z from "zod";
import { uniqueItems } from "../base/fields.ts";
import { idSchema } from "../base/ids.ts";
import { pageQuerySchema } from "../base/list-page.ts";
import { closedObject, readOnlyField } from "../base/objects.ts";
import { SEVERITIES } from "../base/severity.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { MISSING_REASON_WORDS, MISSING_REASONS } from "./coverage.ts";
import { INCIDENT_STATES } from "./incident.ts";
import { SLI_TYPES } from "./slo.ts";

/** Most labels of a report. */
export const REPORT_LABELS_MAX = 100;
/** Most checks, and most SLOs, that a report itself shows, the worst first. */
export const REPORT_CHECKS_MAX = 100;
/** Most incidents that a report lists, the gravest first. */
export const REPORT_INCIDENTS_MAX = 50;

/** Schema of a calendar month, such as `2026-10`. */
export const reportMonthSchema = z
  .string()
  .regex(/^\d{4}-(0[1-9]|1[0-2])$/, "expected a month such as 2026-10")
  .describe("A calendar month in UTC, such as `2026-10`.");

const basisPoints = (description: string) =>
  z.int().nullable().describe(`${description} In basis points, rounded down: 9990 is 99.90 percent.`);

const figures = {
  expected: z.int().describe("Slots that were due outside maintenance, triggered runs included."),
  received: z.int().describe("Of these, slots that have a result."),
  success: z.int().describe("Results that are successes."),
  availabilityBasisPoints: basisPoints(
    "Successes of the results; null: there is no result. Slots without a result are neither up nor down.",
  ),
  measuredBasisPoints: basisPoints("Slots that have a result; null: none was due."),
};

/** Schema of the figures of anything that results are counted of. */
const figuresSchema = z.object(figures);
/** Counted slots and results with the shares that follow from them. */
export type ReportFigures = z.infer<typeof figuresSchema>;

const reportDaySchema = z.object({
  date: z.string().describe("The day in UTC, such as `2026-10-31`."),
  isCounted: z.boolean().describe("False: the day has not been counted; its figures are 0."),
  ...figures,
});
/** A day of a report. */
export type ReportDay = z.infer<typeof reportDaySchema>;

const reportLabelSchema = z.object({ label: z.string(), checkCount: z.int(), ...figures });

/** Schema of a check of a report. */
export const reportCheckSchema = z
  .object({
    checkId: idSchema("check"),
    name: z.string().describe("Its name when its last day was counted."),
    isDeleted: z.boolean().describe("True: the check was deleted since."),
    labels: z.array(z.string()),
    ...figures,
  })
  .meta({ id: "ReportCheck" });

const reportSloSchema = z.object({
  sloId: idSchema("slo"),
  name: z.string(),
  isDeleted: z.boolean(),
  checkName: z.string().nullable().describe("null: it is about a third party."),
  sliType: z.enum(SLI_TYPES),
  targetBasisPoints: z.int(),
  total: z.int().describe("Results, or requests to a third party, outside maintenance."),
  good: z.int(),
  goodBasisPoints: basisPoints("Good ones of them; null: there are none."),
  isMet: z.boolean().nullable().describe("Whether the target was met; null: nothing was measured."),
  budgetMinutes: z
    .number()
    .describe("Error budget of the counted days: their minutes times what the target leaves."),
  spentMinutes: z.number().describe("Minutes of the counted days times the share that was bad."),
  spentBasisPoints: basisPoints("Budget that was spent; more than 10000 where more was spent than there is."),
});
/** An SLO of a report. */
export type ReportSlo = z.infer<typeof reportSloSchema>;

const reportIncidentSchema = z.object({
  id: idSchema("incident"),
  title: z.string(),
  severity: z.enum(SEVERITIES),
  state: z.enum(INCIDENT_STATES),
  openedAt: timestampSchema,
  endedAt: timestampSchema.nullable().describe("null: it is open."),
});
/** An incident of a report. */
export type ReportIncident = z.infer<typeof reportIncidentSchema>;

const reportReasonSchema = z.enum([...MISSING_REASONS, "not_explained", "not_recorded"]);
/** Reason why slots of a report have no result. */
export type ReportReason = z.infer<typeof reportReasonSchema>;

/** Each reason of a report in a few words. */
export const REPORT_REASON_WORDS: Readonly<Record<ReportReason, string>> = {
  ...MISSING_REASON_WORDS,
  not_explained: "reason not looked up",
  not_recorded: "reason not recorded",
};

/** Schema of a month that a report can be read of. */
export const reportMonthSummarySchema = z.object({
  month: reportMonthSchema,
  isComplete: z.boolean().describe("True: the month is over and its last day was counted."),
  countedDays: z.int().describe("Days of the month that were counted."),
  ...figures,
});
/** A month that a report can be read of. */
export type ReportMonth = z.infer<typeof reportMonthSummarySchema>;

/** Schema of a monthly report. */
export const reportSchema = z
  .object({
    month: reportMonthSchema,
    from: timestampSchema.describe("First instant of the month."),
    to: timestampSchema.describe("First instant after the month."),
    isComplete: z.boolean().describe("True: the month is over and its last day was counted."),
    countedUntil: timestampSchema.nullable().describe("End of the last counted day; null: none was counted."),
    totals: figuresSchema.extend({ checkCount: z.int() }),
    days: z.array(reportDaySchema).describe("Every day of the month."),
    daysNotCounted: z
      .array(z.string())
      .describe("Days that are over, on which the team was there, and of which nothing is known."),
    daysNotMeasured: z
      .array(z.string())
      .describe("Counted days on which slots were due and none has a result."),
    byLabel: z
      .array(reportLabelSchema)
      .describe(
        `Up to ${REPORT_LABELS_MAX}, the worst first; a check with several labels is counted under each.`,
      ),
    labelsLeftOut: z.int().describe("Labels that are not listed."),
    checks: z
      .array(reportCheckSchema)
      .describe(`Up to ${REPORT_CHECKS_MAX}, the worst first; \`GET /api/reports/:month/checks\` lists all.`),
    checksLeftOut: z.int().describe("Checks that are not listed."),
    slos: z.array(reportSloSchema).describe(`Up to ${REPORT_CHECKS_MAX}, the most spent budget first.`),
    slosLeftOut: z.int().describe("SLOs that are not listed."),
    incidents: z.object({
      opened: z.int().describe("Incidents that were opened in the month."),
      ended: z.int().describe("Incidents that ended in the month."),
      openAtBegin: z.int().describe("Incidents that were open when the month began."),
      listed: z
        .array(reportIncidentSchema)
        .describe(
          `Incidents that were open at some time of the month, the gravest first, up to ${REPORT_INCIDENTS_MAX}.`,
        ),
      leftOut: z.int().describe("Incidents that are not listed."),
      keptFrom: timestampSchema
        .nullable()
        .describe("Incidents that ended before this instant have been removed; null: none of the month has."),
    }),
    slots: z.object({
      expected: z.int(),
      received: z.int(),
      missing: z.int(),
      missingByReason: z
        .array(z.object({ reason: reportReasonSchema, count: z.int() }))
        .describe(
          [
            "Missing slots by reason, as the coverage of a check names them, most first; together they are `missing`.",
            "`not_explained`: of very many, only some are explained. `not_recorded`: their days were counted by a release that kept no reasons.",
          ].join(" "),
        ),
      givenBack: z
        .int()
        .describe(
          "Missing slots whose reason is recorded: runners gave them back, or nobody could run them.",
        ),
      inMaintenance: z.int().describe("Slots within maintenance windows: they count nowhere else."),
    }),
  })
  .meta({ id: "Report" });
/** A monthly report. */
export type Report = z.infer<typeof reportSchema>;

/** Query of GET /api/reports/:month/checks. */
export const reportChecksQuerySchema = pageQuerySchema;

/** Most channels that a report is sent to. */
const SUBSCRIBED_CHANNELS_MAX = 20;

/** Body of PUT /api/report-subscription. */
export const setReportSubscriptionSchema = closedObject({
  channelIds: z
    .array(idSchema("channel"))
    .max(SUBSCRIBED_CHANNELS_MAX, `at most ${SUBSCRIBED_CHANNELS_MAX} channels`)
    .superRefine(uniqueItems)
    .describe("Channels of the type email that are sent the report of each month; none ends it."),
  teamId: readOnlyField,
  updatedAt: readOnlyField,
});
/** Body of the request that sets who is sent reports, as a caller writes it. */
export type SetReportSubscription = z.input<typeof setReportSubscriptionSchema>;

/** Schema of who is sent the report of each month. */
export const reportSubscriptionSchema = z
  .object({
    teamId: idSchema("team"),
    channelIds: z.array(idSchema("channel")),
    updatedAt: timestampSchema.nullable().describe("null: nobody is sent reports."),
  })
  .meta({ id: "ReportSubscription" });
/** Who is sent the report of each month. */
export type ReportSubscription = z.infer<typeof reportSubscriptionSchema>;
