import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";

/**
 * Makes sure that channels are the team's, and keeps them from being deleted until the transaction ends. Channels belong to a
 * higher layer, so the composition root hands the function in.
 * @throws DomainError `invalid`, naming those that don't exist
 */
export type ChannelAssertion = (trx: Knex, teamId: TeamId, channelIds: readonly string[]) => Promise<void>;
