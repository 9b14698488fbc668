import { type CreateChannel, DomainError, newId, type TeamId } from "@svc/contract";
import objection from "objection";
import { recordChange } from "../../accounts/change-log/store.ts";
import type { Services } from "../../platform/services.ts";
import type { Author } from "../../platform/team-context.ts";
import { type ChannelModel, submittedFromRow } from "./row.ts";
import { insertChannelRow } from "./store.ts";

/** Stores a channel, its object encrypted. @throws DomainError conflict when the name is taken */
export async function createChannel(
  { knex, secrets, clock }: Services,
  teamId: TeamId,
  { name, channel }: CreateChannel,
  author: Author,
) {
  const nowMs = clock.nowMs();
  const row = await refuseTakenName(name, () =>
    knex.transaction(async (trx) => {
      const inserted = await insertChannelRow(trx, {
        ...{ id: newId("channel"), teamId, name, type: channel.type },
        config: secrets.seal(JSON.stringify(channel)),
        createdAt: new Date(nowMs).toISOString(),
      });
      await recordChange(trx, {
        ...{ teamId, author, action: "created", type: "channel", atMs: nowMs },
        ...{ resourceId: inserted.id, name },
      });
      return inserted;
    }),
  );
  return createdFromRow(row);

  function createdFromRow(created: ChannelModel) {
    const { id, type } = created;
    return { id, name, type, config: submittedFromRow(secrets, created) };
  }
}

/** Runs a write; a name that another channel of the team has is a conflict. */
export async function refuseTakenName<T>(name: string | undefined, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof objection.UniqueViolationError)
      throw new DomainError("conflict", `A notification channel named "${name}" already exists`, {
        cause: error,
      });
    throw error;
  }
}
