import { notFound, REDACTED, type Secret, type SecretId } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { wakeFleets } from "../../platform/db/wake-ups.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { replaceSecretValue } from "./store.ts";

/**
 * Gives a secret another value. The checks that refer to it don't change; agents get them again with the new value.
 * @throws DomainError `not_found`, `limit_exceeded`
 */
export async function updateSecret(
  ctx: TeamContext,
  { id, value }: { id: SecretId; value: string },
): Promise<Secret> {
  const { services, teamId } = ctx;
  return changeRecord(ctx, async (trx) => {
    const secret = await replaceSecretValue(trx, teamId, {
      id,
      value: services.secrets.seal(value, id),
      updatedAt: new Date(services.clock.nowMs()).toISOString(),
    });
    if (!secret) throw notFound("Secret");
    await wakeFleets(trx, "checks");
    return {
      result: secret,
      changes: [
        {
          action: "updated",
          type: "secret",
          resourceId: id,
          name: secret.name,
          changedFields: [{ field: "value", oldValue: REDACTED, newValue: REDACTED, redacted: true }],
        },
      ],
    };
  });
}
