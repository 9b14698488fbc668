import * as z from "zod";
import { httpUrlSchema } from "../base/fields.ts";
import { closedObject } from "../base/objects.ts";
import { defineChannel, fieldsOfPeople } from "./define-channel.ts";

/** A team chat service's incoming webhook. */
export const chatChannel = defineChannel(
  closedObject({ type: z.literal("chat"), webhookUrl: httpUrlSchema, ...fieldsOfPeople }),
  {
    audience: "people",
    secretFields: { webhookUrl: "whole" },
    secretDestinations: { webhookUrl: [] },
    destinationField: "webhookUrl",
    fields: "`webhookUrl`",
    sends:
      "Text with links and one attachment, in the form of Slack's incoming webhooks, which other chat services take too",
  },
);
