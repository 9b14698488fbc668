/** Finds a target that shows its maintenance page. */
import { defineRuleOfReason } from "./define-rule-of-reason.ts";

/** Applies when the failures of most locations have this reason. */
export const maintenancePage = defineRuleOfReason("maintenance_page", "warning");
