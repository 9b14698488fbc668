/** What an alert rule would have done, and how near it is to firing now. */
import * as z from "zod";
import { idSchema } from "../base/ids.ts";
import { closedObject } from "../base/objects.ts";
import { SEVERITIES } from "../base/severity.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { conditionSchema, conditionsSchema } from "../conditions/registry.ts";
import { createAlertRuleSchema } from "./alert-rule.ts";

/** Most firings that a preview lists. */
export const PREVIEWED_FIRINGS_MAX = 500;

/** Body of POST /api/alerts/preview: the parts of a rule that decide when it fires, and how far to look back. */
export const previewAlertRuleSchema = closedObject({
  checkId: idSchema("check"),
  conditions: conditionsSchema.describe("All of them must hold at once."),
  confirm: createAlertRuleSchema.shape.confirm,
  recovery: createAlertRuleSchema.shape.recovery,
  range: z
    .string()
    .regex(/^([1-9]|[12]\d|30)d$/, "expected a number of days from 1d to 30d")
    .default("7d")
    .describe("Days that are looked back, from `1d` to `30d`."),
});
/** Body of the request that previews an alert rule, defaults filled in. */
export type PreviewAlertRule = z.infer<typeof previewAlertRuleSchema>;

const conditionTypeSchema = z.string().describe("Type of a condition.");
const comparedFields = {
  threshold: z.unknown(),
  observed: z.unknown(),
};

const firingSchema = z.object({
  startedAt: timestampSchema.describe("Slot of the result at which the rule would have fired."),
  endedAt: timestampSchema.nullable().describe("Slot of the result that ends it; null: it would last."),
  severity: z.enum(SEVERITIES),
  evidence: z.object({
    summary: z.string(),
    conditions: z.array(
      z.object({ type: conditionTypeSchema, ...comparedFields, resultIds: z.array(idSchema("result")) }),
    ),
    locations: z.array(z.string()).describe("Names of the locations that show it."),
  }),
});

/** Schema of what a rule would have done. */
export const alertPreviewSchema = z
  .object({
    from: timestampSchema,
    to: timestampSchema,
    results: z.number().describe("Stored results that were judged."),
    count: z.number().describe("How often the rule would have fired."),
    durationMs: z
      .number()
      .describe("How long it would have been firing in all, until `to` where it would last."),
    wouldFire: z
      .array(firingSchema)
      .describe(`The firings, oldest first; the newest ${PREVIEWED_FIRINGS_MAX} of them.`),
    unconfirmed: z
      .number()
      .describe("With confirm: failures whose confirming run never took place, so that it is not known."),
    notReplayable: z
      .array(z.object({ type: conditionTypeSchema, reason: z.string() }))
      .describe(
        "Conditions of which stored results do not tell when they held. The firings are those of the other conditions: the rule would have fired at most so often. With no other condition there are none.",
      ),
  })
  .meta({ id: "AlertPreview" });
/** What an alert rule would have done over the last days. */
export type AlertPreview = z.infer<typeof alertPreviewSchema>;

/** Schema of how near a rule is to firing. */
export const alertExplanationSchema = z
  .object({
    at: timestampSchema,
    holds: z.boolean().describe("All conditions hold now."),
    conditions: z.array(
      z.object({
        type: conditionTypeSchema,
        condition: conditionSchema,
        holds: z.boolean(),
        ...comparedFields,
        summary: z.string().nullable().describe("What shows that it holds; null: it does not."),
        missing: z.string().nullable().describe("What would have to happen for it to hold; null: it does."),
      }),
    ),
  })
  .meta({ id: "AlertExplanation" });
/** How near an alert rule is to firing now, by condition. */
export type AlertExplanation = z.infer<typeof alertExplanationSchema>;
