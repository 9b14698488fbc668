/** Rows of channels, and what the API shows of them. */
import {
  type Channel,
  type ChannelConfig,
  type ChannelId,
  type ChannelType,
  channelConfigSchema,
  type IncidentTemplate,
  maskChannelConfigForRead,
  type SubmittedChannel,
  type TeamId,
} from "@svc/contract";
import objection from "objection";
import type { SecretBox } from "../../platform/db/secret-box.ts";
import { isForMachines } from "../recipient.ts";

/** A row of `notification_channels`. The outbox refers to it by `key`, the API by `id`. */
export class ChannelModel extends objection.Model {
  static override tableName = "notification_channels";
  static override idColumn = "key";
  static override jsonAttributes = ["incidentTemplate"];

  declare key: number;
  declare id: ChannelId;
  declare teamId: TeamId;
  declare name: string;
  declare type: ChannelType;
  /** The channel object as submitted, sealed as a whole. */
  declare config: Buffer;
  declare incidentTemplate: IncidentTemplate | null;
  declare incidentSubscribed: boolean;
  declare lastTestedAt: string | null;
  declare createdAt: string;
  declare updatedAt: string | null;
}

/**
 * Returns the channel object as it was submitted.
 * @throws Error when the object was sealed under a key that is not known any more
 */
export function submittedFromRow(
  secrets: SecretBox,
  row: Pick<ChannelModel, "id" | "config">,
): SubmittedChannel {
  return JSON.parse(secrets.open(row.config, row.id)) as SubmittedChannel;
}

/** Returns the channel object with its defaults, as senders need it. */
export function configFromRow(secrets: SecretBox, row: Pick<ChannelModel, "id" | "config">): ChannelConfig {
  return channelConfigSchema.parse(submittedFromRow(secrets, row));
}

/**
 * Returns the channel as the API answers it.
 * @param isMasked true: `***` stands for each secret of the configuration
 */
export function channelFromRow(
  secrets: SecretBox,
  row: ChannelModel,
  { isMasked }: { isMasked: boolean },
): Channel {
  const submitted = submittedFromRow(secrets, row);
  const { incidentTemplate, incidentSubscribed } = row;
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    config: isMasked ? maskChannelConfigForRead(submitted) : submitted,
    ...(isForMachines(row.type) && { incidentTemplate, incidentSubscribed }),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}
