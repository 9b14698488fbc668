/** A maintenance window in svc.config.yaml: the fields of the API, with names of monitors instead of check ids. */
import * as z from "zod";
import { uniqueItems } from "../base/fields.ts";
import { closedObject, withoutDefaults } from "../base/objects.ts";
import { checkNameSchema } from "../resources/check.ts";
import { createMaintenanceWindowSchema } from "../resources/maintenance-window.ts";

const { name, mode, startsAt, endsAt, recurring, recurrenceRule, timezone } = withoutDefaults(
  createMaintenanceWindowSchema.shape,
);

/** Schema of a maintenance window in svc.config.yaml. */
export const configMaintenanceWindowSchema = closedObject({
  name,
  mode,
  checks: z
    .union(
      [z.literal("all"), z.array(checkNameSchema).min(1, "at least one monitor").superRefine(uniqueItems)],
      'expected "all" or a list of monitor names',
    )
    .describe('Names of monitors, or "all".'),
  startsAt,
  endsAt,
  recurring,
  recurrenceRule: recurrenceRule.unwrap().unwrap().optional(),
  timezone,
}).superRefine((window, context) => {
  const refuse = (field: string, message: string) =>
    context.addIssue({ code: "custom", path: [field], message });
  if (window.recurring && window.recurrenceRule === undefined)
    refuse("recurrenceRule", "required when recurring is true");
  if (!window.recurring && window.recurrenceRule !== undefined)
    refuse("recurrenceRule", "only taken when recurring is true");
});
