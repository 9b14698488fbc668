/** The view of a status page: all that a published one says to everybody. No address, location, result or text of an error has a place in it. */
import * as z from "zod";
import { timestampSchema } from "../base/timestamp.ts";
import { statusNoticeSchema } from "./status-notice.ts";

/**
 * States of a component. operational, degraded and outage are measured, or said by an incident's notice; maintenance: planned work
 * is under way; unknown: nothing recent is known.
 */
const COMPONENT_STATES = ["operational", "degraded", "outage", "maintenance", "unknown"] as const;
/** State of a component, or of a page as a whole. */
export type ComponentState = (typeof COMPONENT_STATES)[number];

/** Days of history that a status page shows, today included. They are days in UTC. */
export const STATUS_DAYS = 90;

const percent = z.number().min(0).max(100);

const statusDaySchema = z.object({
  date: z.string().describe("The day in UTC: `2026-11-21`."),
  state: z
    .enum(["operational", "degraded", "outage", "unmeasured"])
    .describe(
      "By the share of good results: operational from 99 %, degraded from 90 %, outage below. unmeasured: no result is stored.",
    ),
  goodPercent: percent.nullable().describe("Share of results that were good, rounded down; null: no data."),
  measuredPercent: percent
    .nullable()
    .describe(
      "Share of the runs that were due and have a result, rounded down. Below 100, a part of the day was not measured. null: none was due.",
    ),
});
/** One day of a component's history. */
export type StatusDay = z.infer<typeof statusDaySchema>;

const viewNoticeSchema = statusNoticeSchema
  .omit({ createdAt: true, updatedAt: true })
  .extend({
    updatesLeftOut: z
      .number()
      .describe("Older updates that are left out, since the texts of a page's notices are limited in total."),
  })
  .meta({ id: "PublicStatusNotice" });

/** Schema of what a published status page tells. */
export const statusPageViewSchema = z
  .object({
    slug: z.string(),
    title: z.string(),
    description: z.string(),
    state: z.enum(COMPONENT_STATES).describe("The gravest state of a component."),
    subscriptions: z
      .object({ email: z.boolean() })
      .describe("How whoever reads the page may have its notices sent."),
    asOf: timestampSchema.describe("When this was read; it may be some seconds old."),
    components: z.array(
      z.object({
        name: z.string(),
        state: z.enum(COMPONENT_STATES),
        goodPercent: percent
          .nullable()
          .describe(`Share of good results over ${STATUS_DAYS} days, rounded down; null: there are none.`),
        days: z.array(statusDaySchema).describe("The oldest first; today, which is not over, last."),
      }),
    ),
    notices: z
      .array(viewNoticeSchema)
      .describe(`Those that are to come, last, or ended in the last ${STATUS_DAYS} days; the latest first.`),
  })
  .meta({ id: "StatusPageView" });
/** All that a published status page tells everybody. */
export type StatusPageView = z.infer<typeof statusPageViewSchema>;
