import * as z from "zod";
import { httpUrlSchema } from "../base/fields.ts";
import { closedObject } from "../base/objects.ts";
import { defineChannel, fieldsOfPeople } from "./define-channel.ts";

/** A channel of Discord, by a webhook. */
export const discordChannel = defineChannel(
  closedObject({
    type: z.literal("discord").meta({ title: "Discord" }),
    webhookUrl: httpUrlSchema.describe(
      "URL of a Discord webhook; ?thread_id=... behind it leads to one thread.",
    ),
    ...fieldsOfPeople,
  }),
  {
    audience: "people",
    secretFields: { webhookUrl: "whole" },
    secretDestinations: { webhookUrl: [] },
    destinationField: "webhookUrl",
    fields: "`webhookUrl`",
    sends: "One embed with links, for the URL of a Discord webhook; it mentions nobody",
  },
);
