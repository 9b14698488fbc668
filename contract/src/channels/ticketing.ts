import * as z from "zod";
import { httpUrlSchema } from "../base/fields.ts";
import { closedObject } from "../base/objects.ts";
import { defineChannel } from "./define-channel.ts";

/** A ticketing system's table API. */
export const ticketingChannel = defineChannel(
  closedObject({
    type: z.literal("ticketing"),
    instanceUrl: httpUrlSchema,
    username: z
      .string()
      .min(1, "a user name has at least 1 character")
      .max(128, "a user name has at most 128 characters"),
    password: z
      .string()
      .min(1, "a password has at least 1 character")
      .max(512, "a password has at most 512 characters"),
    assignmentGroup: z.string().max(128, "at most 128 characters").optional(),
  }),
  {
    audience: "ticket",
    secretFields: { username: "whole", password: "whole" },
    urlFields: ["instanceUrl"],
    secretDestinations: {
      username: ["instanceUrl"],
      password: ["instanceUrl"],
      instanceUrl: ["instanceUrl"],
    },
    destinationField: "instanceUrl",
    fields: "`instanceUrl`, `username`, `password`, `assignmentGroup`",
    sends:
      "ServiceNow table API: a ticket when an incident opens, work notes while it lasts, resolved when its last alert ends",
  },
);
