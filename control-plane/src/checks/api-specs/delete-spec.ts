import { DomainError, notFound, type TeamId } from "@svc/contract";
import { recordChange } from "../../accounts/change-log/store.ts";
import type { Services } from "../../platform/services.ts";
import type { Author } from "../../platform/team-context.ts";
import { deleteSpecRow, findCheckUsingSpec, lockSpecRow } from "./store.ts";

/** @throws DomainError not_found (also the second time), conflict while an assertion uses it */
export async function deleteSpec(
  { knex, clock }: Services,
  teamId: TeamId,
  id: string,
  author: Author,
): Promise<void> {
  await knex.transaction(async (trx) => {
    const row = await lockSpecRow(trx, teamId, id);
    if (!row) throw notFound("Spec");
    const user = await findCheckUsingSpec(trx, teamId, id);
    if (user !== undefined)
      throw new DomainError("conflict", `Spec ${row.name} is used by an assertion of the check "${user}"`);
    await deleteSpecRow(trx, id);
    await recordChange(trx, {
      ...{ teamId, author, action: "deleted", type: "spec", atMs: clock.nowMs() },
      ...{ resourceId: id, name: row.name },
    });
  });
}
