import * as z from "zod";
import { httpUrlSchema } from "../base/fields.ts";
import { closedObject } from "../base/objects.ts";
import { defineChannel } from "./channel-type.ts";

/** A ticketing system's table API. */
export const ticketingChannel = defineChannel({
  schema: closedObject({
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
  secretFields: { username: "whole", password: "whole" },
});
