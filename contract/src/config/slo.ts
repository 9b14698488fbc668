/** An SLO in svc.config.yaml. */
import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import {
  AVAILABILITY_ONLY_MESSAGE,
  createSloSchema,
  perfThresholdProblem,
  SLI_TYPES,
  sloNameSchema,
} from "../resources/slo.ts";
import { channelReferencesSchema } from "./fields.ts";

const PERCENT = /^(\d{1,3})(?:\.(\d{1,20}))?%$/;

/**
 * Returns a target in basis points. The target is `99.9%`, or the number 99.9.
 * @returns a whole number from 1 to 9999; undefined for a target that is not a percentage or not such a number
 */
export function targetBasisPoints(target: string | number): number | undefined {
  const text = typeof target === "number" ? `${target}%` : target.trim();
  const [, whole, fraction = ""] = PERCENT.exec(text) ?? [];
  if (whole === undefined || /[1-9]/.test(fraction.slice(2))) return undefined;
  const points = Number(whole) * 100 + Number(fraction.slice(0, 2).padEnd(2, "0"));
  return points >= 1 && points <= 9_999 ? points : undefined;
}

/** Returns the days of a window: of `7d`, `14d`, `30d` or the number alone. */
export function windowDays(window: string | number): 7 | 14 | 30 {
  return Number(String(window).replace("d", "")) as 7 | 14 | 30;
}

/** Schema of an SLO in svc.config.yaml. */
export const configSloSchema = closedObject({
  name: sloNameSchema,
  monitor: z.string().min(1).optional().describe("Name of a monitor. Either this or pattern."),
  pattern: z
    .string()
    .min(1)
    .optional()
    .describe("Name of a pattern of thirdPartyPatterns: the SLO is about requests to a third party."),
  target: z
    .union([z.string(), z.number()], "expected a percentage, e.g. 99.9%")
    .refine((target) => targetBasisPoints(target) !== undefined, {
      error: ({ input }) =>
        `expected a percentage from 0.01% to 99.99% with at most two decimals; got ${JSON.stringify(input)}`,
    })
    .describe('A percentage: "99.9%" or 99.9.'),
  window: z.literal(["7d", "14d", "30d", "7", "14", "30", 7, 14, 30], "expected 7d, 14d or 30d"),
  burnRateAlerts: z.boolean().optional(),
  channels: channelReferencesSchema.max(50, "at most 50 channels").optional(),
  enabled: z.boolean().optional(),
  sliType: z
    .enum(SLI_TYPES)
    .optional()
    .describe("availability (default): a success is good; performance: one within perfThresholdMs."),
  perfThresholdMs: createSloSchema.shape.perfThresholdMs.unwrap().optional(),
})
  .superRefine(({ monitor, pattern, sliType = "availability", perfThresholdMs }, context) => {
    const refuse = (field: string, message: string) =>
      context.addIssue({ code: "custom", path: [field], message });
    if (monitor === undefined && pattern === undefined)
      refuse("monitor", "required, unless the SLO is of a third-party pattern");
    if (monitor !== undefined && pattern !== undefined)
      refuse("pattern", "an SLO is of a monitor or of a pattern, not of both");
    if (pattern !== undefined && sliType === "performance") refuse("sliType", AVAILABILITY_ONLY_MESSAGE);
    const problem = perfThresholdProblem(sliType, perfThresholdMs ?? null);
    if (problem !== undefined) refuse("perfThresholdMs", problem);
  })
  .meta({ oneOf: [{ required: ["monitor"] }, { required: ["pattern"] }] });
/** An SLO as the config describes it; its check or its third-party pattern is a name. */
export type ConfigSlo = z.infer<typeof configSloSchema>;
