/** Resources to create or change as a caller writes them: fields that have a default may be left out. */
import type * as z from "zod";
import type { createAlertRuleSchema } from "../../resources/alert-rule.ts";
import type { createCheckSchema } from "../../resources/check.ts";
import type { createMaintenanceWindowSchema } from "../../resources/maintenance-window.ts";
import type { createSloSchema } from "../../resources/slo.ts";
import type { createSpecSchema, generateBySpecSchema, updateSpecSchema } from "../../resources/spec.ts";

export type NewCheck = z.input<typeof createCheckSchema>;
export type NewAlertRule = z.input<typeof createAlertRuleSchema>;
export type NewSlo = z.input<typeof createSloSchema>;
export type NewMaintenanceWindow = z.input<typeof createMaintenanceWindowSchema>;
export type NewSpec = z.input<typeof createSpecSchema>;
/** A change of a spec; without any field the document of a spec with a URL is fetched again. */
export type SpecChange = z.input<typeof updateSpecSchema>;
/** An order to generate checks from a spec. */
export type NewGeneration = z.input<typeof generateBySpecSchema>;
