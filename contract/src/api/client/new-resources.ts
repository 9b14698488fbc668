/** Resources to create or change as a caller writes them: fields that have a default may be left out. */
import type * as z from "zod";
import type { createAlertPolicySchema } from "../../resources/alert-policy.ts";
import type { createAlertRuleSchema } from "../../resources/alert-rule.ts";
import type { createCheckSchema } from "../../resources/check.ts";
import type { createLocationSchema } from "../../resources/location.ts";
import type { createMaintenanceWindowSchema } from "../../resources/maintenance-window.ts";
import type { createRotaSchema } from "../../resources/rota.ts";
import type { createSloSchema } from "../../resources/slo.ts";
import type { createSpecSchema, generateBySpecSchema, updateSpecSchema } from "../../resources/spec.ts";
import type { createStatusNoticeSchema } from "../../resources/status-notice.ts";
import type { createStatusPageSchema } from "../../resources/status-page.ts";

/** A check to create. */
export type NewCheck = z.input<typeof createCheckSchema>;
/** An alert rule to create. */
export type NewAlertRule = z.input<typeof createAlertRuleSchema>;
/** An alert policy to create. */
export type NewAlertPolicy = z.input<typeof createAlertPolicySchema>;
/** An SLO to create. */
export type NewSlo = z.input<typeof createSloSchema>;
/** A private location to create. */
export type NewLocation = z.input<typeof createLocationSchema>;
/** A maintenance window to create. */
export type NewMaintenanceWindow = z.input<typeof createMaintenanceWindowSchema>;
/** A rota to create. */
export type NewRota = z.input<typeof createRotaSchema>;
/** A status page to create. */
export type NewStatusPage = z.input<typeof createStatusPageSchema>;
/** A notice of a status page to create. */
export type NewStatusNotice = z.input<typeof createStatusNoticeSchema>;
/** An API spec to store. */
export type NewSpec = z.input<typeof createSpecSchema>;
/** A change of a spec; without any field the document of a spec with a URL is fetched again. */
export type SpecChange = z.input<typeof updateSpecSchema>;
/** A request to generate checks from a spec. */
export type NewGeneration = z.input<typeof generateBySpecSchema>;
