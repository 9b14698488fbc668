/** Coverage: the slots of a check that have a result, and the reasons why the others do not. */
import * as z from "zod";
import { idSchema } from "../base/ids.ts";
import { DAY_MS, HOUR_MS } from "../base/time.ts";
import { timestampSchema } from "../base/timestamp.ts";

/** Reasons why a slot has no result. */
export const MISSING_REASONS = [
  "location_retired",
  "no_runner",
  "no_capable_runner",
  "no_vault_runner",
  "runner_capacity",
  "runner_crash",
  "runner_oom",
  "runner_network",
  "runner_lost",
  "previous_run",
  "service_unavailable",
  "unknown",
] as const;
/** Reason why a slot has no result. */
export type MissingReason = (typeof MISSING_REASONS)[number];

/** Each reason in a few words, for lists and sentences that count. */
export const MISSING_REASON_WORDS: Readonly<Record<MissingReason, string>> = {
  location_retired: "location retired",
  no_runner: "no runner",
  no_capable_runner: "no capable runner",
  no_vault_runner: "runner too old for secrets",
  runner_capacity: "runners too busy",
  runner_crash: "runner crashed",
  runner_oom: "runner out of memory",
  runner_network: "runner's network failed",
  runner_lost: "runner lost",
  previous_run: "run before it still open",
  service_unavailable: "service without its database",
  unknown: "nothing recorded",
};

/** Lengths in ms of the ranges that a coverage may cover, by name. */
export const COVERAGE_RANGES = {
  "1h": HOUR_MS,
  "6h": 6 * HOUR_MS,
  "24h": DAY_MS,
  "7d": 7 * DAY_MS,
} as const;

/** Schema of the coverage of a check: how many of its slots have a result, and why others have none. */
export const coverageSchema = z
  .object({
    checkId: idSchema("check"),
    from: timestampSchema,
    to: timestampSchema,
    locations: z.array(
      z.object({
        locationId: z.string(),
        expected: z.number().describe("Slots that were due in the range."),
        received: z.number().describe("Slots among them that have a result."),
        late: z.number().describe("Results whose run began more than 1 s after it was due."),
        missingCount: z.number(),
        missing: z
          .array(z.object({ slotAt: timestampSchema, reason: z.enum(MISSING_REASONS), detail: z.string() }))
          .describe("The newest missing slots, at most 1000."),
      }),
    ),
  })
  .meta({ id: "Coverage" });
/** The slots of a check in a time range: how many were due, had a result or are missing, by location. */
export type Coverage = z.infer<typeof coverageSchema>;
