/** Finds a target whose answers have another structure than before. */
import { defineRuleOfReason } from "./define-rule-of-reason.ts";

/** Applies when the failures of most locations have this reason. */
export const schemaChange = defineRuleOfReason("schema_change", "critical");
