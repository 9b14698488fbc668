import { DomainError, invalidField, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { holdChannels } from "./store.ts";

/**
 * Makes sure that these channels are the team's, and keeps them from being deleted until the transaction ends.
 * @throws DomainError `invalid`, naming those that don't exist
 */
export async function assertChannelsExist(
  trx: Knex,
  teamId: TeamId,
  channelIds: readonly string[],
): Promise<void> {
  const known = await holdKnown(trx, teamId, channelIds);
  const unknown = channelIds.filter((id) => !known.has(id));
  if (unknown.length > 0) throw invalidField("channelIds", `no such channel: ${unknown.join(", ")}`);
}

/** The items of a list that name channels, and the list's field in the request. */
interface ChannelsOfList {
  field: string;
  items: readonly { channelIds: readonly string[] }[];
}

/**
 * Makes sure that the channels of all items are the team's, and keeps them from being deleted until the transaction ends.
 * @throws DomainError `invalid`, naming those that don't exist by item
 */
export async function assertChannelsOfListExist(
  trx: Knex,
  teamId: TeamId,
  { field, items }: ChannelsOfList,
): Promise<void> {
  const wanted = [...new Set(items.flatMap(({ channelIds }) => channelIds))];
  const known = await holdKnown(trx, teamId, wanted);
  const problems = items.flatMap(({ channelIds }, i) => {
    const unknown = channelIds.filter((id) => !known.has(id));
    return unknown.length > 0 ? [`${field}[${i}].channelIds: no such channel: ${unknown.join(", ")}`] : [];
  });
  if (problems.length > 0)
    throw new DomainError("invalid", "Validation failed", {
      details: { fieldErrors: { [field]: problems }, formErrors: [] },
    });
}

/** Returns those of the channels that the team has, which can't be deleted until the transaction ends. */
async function holdKnown(trx: Knex, teamId: TeamId, channelIds: readonly string[]): Promise<Set<string>> {
  return new Set((await holdChannels(trx, teamId, channelIds)).map(({ id }) => id));
}
