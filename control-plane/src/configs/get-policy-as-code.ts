/** An alert policy as the files of a config. */
import type { AlertPolicyId, RecordAsCode } from "@svc/contract";
import { getPolicy } from "../alerting/policies/get-policy.ts";
import type { TeamContext } from "../platform/team-context.ts";
import { readChannels } from "./read-channels.ts";
import { NO_RECORDS, recordAsCode } from "./record-as-code.ts";

/**
 * Returns the policy with its channels, as `svc pull` writes both. The checks for which it holds are named by their labels alone.
 * @throws DomainError `not_found`; `unavailable` when too many are being written, or writing it takes too long
 */
export async function getPolicyAsCode(
  ctx: TeamContext,
  { id }: { id: AlertPolicyId },
): Promise<RecordAsCode> {
  const policy = await getPolicy(ctx, { id });
  const channels = await readChannels(ctx, [policy]);
  return recordAsCode(ctx, id, { records: { ...NO_RECORDS, policies: [policy], channels } });
}
