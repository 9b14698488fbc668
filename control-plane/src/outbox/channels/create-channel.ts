import { type CreateChannel, type CreatedChannel, newId } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { refuseVaultReferences } from "../../checks/team-secrets/refuse-references.ts";
import { conflictWhenInUse } from "../../platform/db/conflict-when-in-use.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { submittedFromRow } from "./row.ts";
import { insertChannelRow } from "./store.ts";

/**
 * Creates a channel. Its object, which may hold credentials, is encrypted as a whole.
 * @throws DomainError `invalid` for a vault reference, `conflict` when another channel of the team has the name
 */
export async function createChannel(
  ctx: TeamContext,
  { name, channel }: CreateChannel,
): Promise<CreatedChannel> {
  const { services, teamId } = ctx;
  const { secrets, clock } = services;
  refuseVaultReferences(channel, "channel");
  const row = await conflictWhenInUse({ noun: "notification channel", name }, () =>
    changeRecord(ctx, async (trx) => {
      const id = newId("channel");
      const inserted = await insertChannelRow(trx, {
        id,
        teamId,
        name,
        type: channel.type,
        config: secrets.seal(JSON.stringify(channel), id),
        createdAt: new Date(clock.nowMs()).toISOString(),
      });
      return {
        result: inserted,
        changes: [{ action: "created", type: "channel", resourceId: inserted.id, name }],
      };
    }),
  );
  return { id: row.id, name, type: row.type, config: submittedFromRow(secrets, row) };
}
