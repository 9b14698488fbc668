import { type CreateSecret, newId, type Secret } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { conflictWhenInUse } from "../../platform/db/conflict-when-in-use.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { insertSecretRow } from "./store.ts";

/**
 * Stores a secret; its value is sealed for its row.
 * @throws DomainError `conflict` when another secret of the team has the name, `limit_exceeded`
 */
export async function createSecret(ctx: TeamContext, { name, value }: CreateSecret): Promise<Secret> {
  const { services, teamId } = ctx;
  return conflictWhenInUse({ noun: "secret", name }, () =>
    changeRecord(ctx, async (trx) => {
      const id = newId("secret");
      const secret = await insertSecretRow(trx, {
        id,
        teamId,
        name,
        value: services.secrets.seal(value, id),
        createdAt: new Date(services.clock.nowMs()).toISOString(),
      });
      return { result: secret, changes: [{ action: "created", type: "secret", resourceId: id, name }] };
    }),
  );
}
