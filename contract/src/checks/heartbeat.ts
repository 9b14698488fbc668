import * as z from "zod";
import { CRON_CHARACTERS_MAX, cronProblem } from "../base/cron.ts";
import { durationSchema } from "../base/duration.ts";
import { closedObject } from "../base/objects.ts";
import { timezoneSchema } from "../base/timezone-schema.ts";
import { definePushedCheckType } from "./define-check-type.ts";
import type { Expectation } from "./pushed.ts";

const DAY_SECONDS = 86_400;
const PERIOD_SECONDS = { min: 30, max: 366 * DAY_SECONDS } as const;
const GRACE_SECONDS = { min: 10, max: 30 * DAY_SECONDS } as const;

const configFields = closedObject({
  periodSeconds: z
    .int("expected a whole number of seconds")
    .min(PERIOD_SECONDS.min, `smallest is ${PERIOD_SECONDS.min}`)
    .max(PERIOD_SECONDS.max, `largest is ${PERIOD_SECONDS.max}`)
    .optional()
    .describe("The next report is expected this long after the last one; either this or cron."),
  cron: z
    .string()
    .max(CRON_CHARACTERS_MAX, `at most ${CRON_CHARACTERS_MAX} characters`)
    .optional()
    .describe(
      "Reports are expected at these times: minute, hour, day of the month, month, day of the week; or @hourly, @daily, @weekly, @monthly, @yearly.",
    ),
  timezone: timezoneSchema
    .optional()
    .describe("IANA name of the zone on whose clock cron stands; default UTC."),
  graceSeconds: z
    .int("expected a whole number of seconds")
    .min(GRACE_SECONDS.min, `smallest is ${GRACE_SECONDS.min}`)
    .max(GRACE_SECONDS.max, `largest is ${GRACE_SECONDS.max}`)
    .default(300)
    .describe("A report is overdue this long after it was expected: as long as the job runs at most."),
});

type HeartbeatConfig = z.infer<typeof configFields>;

/** Configuration of a check of type heartbeat. */
const heartbeatConfigSchema = configFields.superRefine(periodOrCron);

function periodOrCron({ periodSeconds, cron, timezone }: HeartbeatConfig, context: z.RefinementCtx): void {
  const addIssue = (field: keyof HeartbeatConfig, message: string) =>
    context.addIssue({ code: "custom", path: [field], message });
  if (periodSeconds === undefined && cron === undefined)
    addIssue("periodSeconds", "required, unless there is cron");
  if (periodSeconds !== undefined && cron !== undefined)
    addIssue("cron", "either a period or cron, not both");
  if (cron === undefined && timezone !== undefined) addIssue("timezone", "only with cron");
  if (cron === undefined) return;
  // A zone that is none has an issue of its own.
  const zone = timezoneSchema.safeParse(timezone).data ?? "UTC";
  const problem = cronProblem({ expression: cron, timezone: zone });
  if (problem !== undefined)
    addIssue("cron", `expected five fields such as "0 3 * * *", or a name such as @daily: ${problem}`);
}

function expectationOf(config: Readonly<Record<string, unknown>>): Expectation {
  const { periodSeconds, cron, timezone = "UTC", graceSeconds } = config as HeartbeatConfig;
  return periodSeconds === undefined
    ? { cron: { expression: cron as string, timezone }, graceSeconds }
    : { periodSeconds, graceSeconds };
}

const { cron, timezone } = configFields.shape;

/** A job that reports in, and is missed when it does not. */
export const heartbeatCheck = definePushedCheckType({
  type: "heartbeat",
  title: "Heartbeat",
  summary: "a job that reports in each time that it has run, and is missed when it does not",
  configKey: "heartbeatConfig",
  configSchema: heartbeatConfigSchema,
  monitorFields: {
    period: durationSchema(PERIOD_SECONDS)
      .optional()
      .describe("The next report is expected this long after the last one; either this or cron."),
    cron,
    timezone,
    grace: durationSchema(GRACE_SECONDS)
      .optional()
      .describe("A report is overdue this long after it was expected; default 5m."),
  },
  monitorDurations: { period: "periodSeconds", grace: "graceSeconds" },
  inheritedFields: [],
  secretFields: {},
  starter: {
    fields: () => ({ period: "1d", grace: "1h" }),
  },
  canRunLocally: false,
  pushed: { expectationOf },
  whyNoCertificate: () => "a job that reports in shows none",
  detailFields: {
    heartbeatJson: z.object({
      kind: z.enum(["report", "overdue"]).describe("overdue: no report came in time."),
      exitCode: z.number().optional().describe("Exit code that the job reported."),
      durationMs: z
        .number()
        .optional()
        .describe("From the report that the run began to the one that it ended."),
      expectedAt: z.string().optional().describe("When the report was expected that did not come."),
    }),
  },
});
