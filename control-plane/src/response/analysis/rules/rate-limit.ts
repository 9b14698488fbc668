/** Finds a target that limits the rate of requests. */
import { defineRuleOfReason } from "./define-rule-of-reason.ts";

/** Applies when the failures of most locations have this reason. */
export const rateLimit = defineRuleOfReason("rate_limit", "warning");
