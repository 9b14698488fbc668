/** Notification channels in svc.config.yaml: the channel object of the API, and how a machine's channel gets incident events. */
import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { refusedFieldsOf } from "../channels/define-channel.ts";
import { type ChannelType, channelTypes } from "../channels/registry.ts";
import {
  type IncidentTemplate,
  incidentTemplateSchema,
  type SubmittedChannel,
  submittedSchemaOf,
} from "../resources/channel.ts";

/** Fields of a channel that sends incident events as data; the API takes them beside the channel object. */
const incidentFields = {
  incidentTemplate: incidentTemplateSchema
    .nullable()
    .optional()
    .describe("Own bodies of incident events; without it, or with null, the default bodies are sent."),
  incidentSubscribed: z
    .boolean()
    .optional()
    .describe("false: alert notifications only, no incident events. Default true."),
};

/** How a channel gets incident events, with the defaults filled in. */
export interface IncidentSettings {
  /** null: the default bodies. */
  incidentTemplate: IncidentTemplate | null;
  incidentSubscribed: boolean;
}

/** A channel as a config has it: absent optional fields stay absent. */
export type ConfigChannel = SubmittedChannel & {
  incidentTemplate?: IncidentTemplate | null | undefined;
  incidentSubscribed?: boolean | undefined;
};

function configSchemaOf(member: (typeof channelTypes)["members"][number]) {
  const schema = submittedSchemaOf(member);
  return hasIncidentSettings(member.type)
    ? closedObject({ ...schema.shape, ...incidentFields }, refusedFieldsOf(member.audience))
    : schema;
}

/** Schema of a channel of svc.config.yaml. Only channels that send incident events as data take the fields of those. */
export const configChannelSchema = z.discriminatedUnion(
  "type",
  channelTypes.members.map(configSchemaOf) as unknown as [z.ZodObject<{ type: z.ZodLiteral<string> }>],
) as unknown as z.ZodType<ConfigChannel>;

/** True when channels of this type send incident events as data, and so take a template and may opt out. */
function hasIncidentSettings(type: ChannelType): boolean {
  return channelTypes.get(type).audience === "machine";
}

/** Splits a channel of a config as the API takes it. `incident` is undefined for a type that takes no such settings. */
export function splitConfigChannel({ incidentTemplate, incidentSubscribed, ...channel }: ConfigChannel): {
  channel: SubmittedChannel;
  incident: IncidentSettings | undefined;
} {
  return {
    channel,
    incident: hasIncidentSettings(channel.type)
      ? { incidentTemplate: incidentTemplate ?? null, incidentSubscribed: incidentSubscribed ?? true }
      : undefined,
  };
}
