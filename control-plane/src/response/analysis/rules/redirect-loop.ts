/** Finds a target whose redirects lead to no answer. */
import { defineRuleOfReason } from "./define-rule-of-reason.ts";

/** Applies when the failures of most locations have this reason. */
export const redirectLoop = defineRuleOfReason("redirect_loop", "critical");
