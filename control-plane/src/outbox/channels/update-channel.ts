import { invalidField, notFound, type TeamId, type UpdateChannel } from "@svc/contract";
import { changedFields } from "../../accounts/change-log/changed-fields.ts";
import { recordChange } from "../../accounts/change-log/store.ts";
import type { Services } from "../../platform/services.ts";
import type { Author } from "../../platform/team-context.ts";
import { refuseTakenName } from "./create-channel.ts";
import { describeChannel, describeChannelMasked } from "./get-channel.ts";
import type { ChannelModel } from "./row.ts";
import { lockChannelRow, patchChannelRow } from "./store.ts";

/**
 * Changes what is given. What waits in the outbox goes out by the new settings.
 * @throws DomainError not_found, invalid (the type would change; a template on a channel that is no webhook), conflict
 */
export async function updateChannel(
  { knex, secrets, clock }: Services,
  teamId: TeamId,
  id: string,
  body: UpdateChannel,
  author: Author,
): Promise<void> {
  await refuseTakenName(body.name, () =>
    knex.transaction(async (trx) => {
      const current = await lockChannelRow(trx, teamId, id);
      if (!current) throw notFound("Notification channel");
      assertFits(current, body);
      const nowMs = clock.nowMs();
      const { name, channel, incidentTemplate, incidentSubscribed } = body;
      const updated = await patchChannelRow(trx, current.key, {
        ...{ name, incidentTemplate, incidentSubscribed },
        ...(channel ? { config: secrets.seal(JSON.stringify(channel)) } : {}),
        updatedAt: new Date(nowMs).toISOString(),
      });
      await recordChange(trx, {
        ...{ teamId, author, action: "updated", type: "channel", atMs: nowMs },
        ...{ resourceId: current.id, name: updated.name },
        changedFields: changedFields(describeChannel(secrets, current), describeChannel(secrets, updated), {
          before: describeChannelMasked(secrets, current),
          after: describeChannelMasked(secrets, updated),
        }),
      });
    }),
  );
}

function assertFits(
  current: ChannelModel,
  { channel, incidentTemplate, incidentSubscribed }: UpdateChannel,
): void {
  if (channel && channel.type !== current.type)
    throw invalidField("channel", `the type of a channel can't change; this one is ${current.type}`);
  if (current.type === "webhook") return;
  if (incidentTemplate) throw invalidField("incidentTemplate", "only webhook channels take a template");
  if (incidentSubscribed !== undefined)
    throw invalidField("incidentSubscribed", "only webhook channels get incident events");
}
