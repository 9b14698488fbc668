/** Finds a target that refuses the credentials of the check. */
import { defineRuleOfReason } from "./define-rule-of-reason.ts";

/** Applies when the failures of most locations have this reason. */
export const accessRefused = defineRuleOfReason("access_refused", "warning");
