import * as z from "zod";
import { httpUrlSchema } from "../base/fields.ts";
import { closedObject } from "../base/objects.ts";
import { defineChannel, fieldsOfPeople } from "./define-channel.ts";

/** A channel or chat of Microsoft Teams, by the webhook of a Workflows flow. */
export const msteamsChannel = defineChannel(
  closedObject({
    type: z.literal("msteams").meta({ title: "Microsoft Teams" }),
    webhookUrl: httpUrlSchema,
    ...fieldsOfPeople,
  }),
  {
    audience: "people",
    secretFields: { webhookUrl: "whole" },
    secretDestinations: { webhookUrl: [] },
    destinationField: "webhookUrl",
    fields: "`webhookUrl`",
    sends:
      "An Adaptive Card with links, for the URL of a Microsoft Teams workflow that posts when a webhook request is received",
  },
);
