import type { Condition } from "@svc/contract";
import { ruleOf } from "../conditions/registry.ts";

/** True when a rule with these conditions may fire because something that its check depends on fails. */
export function mayComeFromDependency(conditions: readonly Condition[]): boolean {
  return conditions.map(ruleOf).some((rule) => rule.isAboutFailure || rule.mayComeFromDependency === true);
}
