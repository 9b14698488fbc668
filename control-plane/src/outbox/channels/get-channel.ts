import { type Channel, maskChannelConfig, notFound, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { Described } from "../../accounts/change-log/changed-fields.ts";
import type { SecretBox } from "../../platform/db/secret-box.ts";
import type { Services } from "../../platform/services.ts";
import { type ChannelModel, channelFromRow, configFromRow, submittedFromRow } from "./row.ts";
import { findChannelRow, listChannelRows } from "./store.ts";

/** The team's channels, newest first. */
export async function listChannels({ knex, secrets }: Services, teamId: TeamId): Promise<Channel[]> {
  return (await listChannelRows(knex, teamId)).map((row) => channelFromRow(secrets, row));
}

/** @throws DomainError not_found (unknown, another team's, or not a channel's id at all) */
export async function getChannelRow(db: Knex, teamId: TeamId, id: string): Promise<ChannelModel> {
  const row = await findChannelRow(db, teamId, id);
  if (!row) throw notFound("Notification channel");
  return row;
}

/** A channel as the change log compares it, with its secrets. */
export function describeChannel(secrets: SecretBox, row: ChannelModel): Described {
  const { name, incidentTemplate, incidentSubscribed } = row;
  return { name, channel: submittedFromRow(secrets, row), incidentTemplate, incidentSubscribed };
}

/** The same without what its type marks as secret. */
export function describeChannelMasked(secrets: SecretBox, row: ChannelModel): Described {
  return { ...describeChannel(secrets, row), channel: maskChannelConfig(configFromRow(secrets, row)) };
}
