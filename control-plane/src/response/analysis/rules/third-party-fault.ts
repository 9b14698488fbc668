/** Finds a page that fails because another party does not deliver. */
import { defineRuleOfReason } from "./define-rule-of-reason.ts";

/** Applies when the failures of most locations have this reason. */
export const thirdPartyFault = defineRuleOfReason("third_party_fault", "critical");
