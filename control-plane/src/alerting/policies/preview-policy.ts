import {
  type AlertPolicyPreview,
  type CheckId,
  POLICY_PREVIEW_CHECKS_MAX,
  type PreviewAlertPolicy,
  refusePolicy,
} from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { countLabeledChecks, listLabeledChecks } from "./store.ts";

/** Tells for which checks a policy would hold, and why some that have the labels would get no rule. Changes nothing. */
export async function previewPolicy(
  { services: { knex }, teamId }: TeamContext,
  { labels, conditions = [] }: PreviewAlertPolicy,
): Promise<AlertPolicyPreview> {
  const checks = await listLabeledChecks(knex, teamId, { labels, rowsMax: POLICY_PREVIEW_CHECKS_MAX });
  return {
    checkCount:
      checks.length < POLICY_PREVIEW_CHECKS_MAX
        ? checks.length
        : await countLabeledChecks(knex, teamId, labels),
    checks: checks.map(({ id, name, type, config }) => ({
      id: id as CheckId,
      name,
      refusal: refusePolicy(conditions, { type, config }) ?? null,
    })),
  };
}
