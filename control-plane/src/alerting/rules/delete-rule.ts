import type { TeamId } from "@svc/contract";
import { recordChange } from "../../accounts/change-log/store.ts";
import type { Services } from "../../platform/services.ts";
import type { Author } from "../../platform/team-context.ts";
import { endInstances } from "../instances/resolve-open-instances.ts";
import { patchRuleRow } from "./store.ts";
import { assertWrittenByHand, lockRule } from "./update-rule.ts";

/**
 * Deletes a rule and resolves its open instance. Its instances stay, with the rule's name; its channels are free.
 * @throws DomainError not_found (also the second time), conflict (an SLO generated it)
 */
export async function deleteRule(
  services: Services,
  teamId: TeamId,
  id: string,
  author: Author,
): Promise<void> {
  const nowMs = services.clock.nowMs();
  await services.knex.transaction(async (trx) => {
    const row = await lockRule(trx, teamId, id);
    assertWrittenByHand(row);
    await endInstances(services, trx, row, "the rule was deleted");
    const deletedAt = new Date(nowMs).toISOString();
    await patchRuleRow(trx, row.key, { enabled: false, channelIds: [], deletedAt });
    await recordChange(trx, {
      ...{ teamId, author, action: "deleted", type: "alert", resourceId: id, name: row.name, atMs: nowMs },
    });
  });
}
