/** Channel rows and what the API shows of them. */
import {
  type Channel,
  type ChannelConfig,
  type ChannelType,
  channelConfigSchema,
  type IncidentTemplate,
  type SubmittedChannel,
  type TeamId,
} from "@svc/contract";
import objection from "objection";
import type { SecretBox } from "../../platform/db/secret-box.ts";

/** A row of `notification_channels`. `key` is what the outbox carries, `id` what the API shows. */
export class ChannelModel extends objection.Model {
  static override tableName = "notification_channels";
  static override idColumn = "key";
  static override jsonAttributes = ["incidentTemplate"];

  declare key: number;
  declare id: string;
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

/** The channel object as it was submitted. @throws Error when it was sealed under a key that is not known */
export function submittedFromRow(secrets: SecretBox, row: Pick<ChannelModel, "config">): SubmittedChannel {
  return JSON.parse(secrets.open(row.config)) as SubmittedChannel;
}

/** The same with its defaults, as sending needs it. */
export function configFromRow(secrets: SecretBox, row: Pick<ChannelModel, "config">): ChannelConfig {
  return channelConfigSchema.parse(submittedFromRow(secrets, row));
}

/** A channel as the API answers it. */
export function channelFromRow(secrets: SecretBox, row: ChannelModel): Channel {
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    config: submittedFromRow(secrets, row),
    ...(row.type === "webhook"
      ? { incidentTemplate: row.incidentTemplate, incidentSubscribed: row.incidentSubscribed }
      : {}),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}
