import { type Condition, invalidField, refuseCondition } from "@svc/contract";
import { type CheckModel, configFromRow } from "../../checks/row.ts";
import type { SecretBox } from "../../platform/db/secret-box.ts";

/**
 * Makes sure that each condition can hold for its check: a rule with another would stay silent for ever.
 * @param check the check's row, held by the transaction
 * @throws DomainError `invalid`, with the reason of each condition that can't
 */
export function assertConditionsFit(
  secrets: SecretBox,
  check: CheckModel,
  conditions: readonly Condition[],
): void {
  const watched = { type: check.type, config: configFromRow(secrets, check) };
  const reasons = conditions.flatMap((condition) => refuseCondition(condition, watched) ?? []);
  if (reasons.length > 0) throw invalidField("conditions", reasons.join("; "));
}
