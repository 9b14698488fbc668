import * as z from "zod";
import { uniqueItems } from "../base/fields.ts";
import { closedObject } from "../base/objects.ts";
import { defineChannel, fieldsOfPeople } from "./define-channel.ts";

/** Mail, by the SMTP server that the operator names. */
export const emailChannel = defineChannel(
  closedObject({
    type: z.literal("email"),
    addresses: z
      .array(z.email("not a valid email address").max(254, "an address has at most 254 characters"))
      .min(1, "at least one address")
      .max(100, "at most 100 addresses")
      .superRefine(uniqueItems),
    ...fieldsOfPeople,
  }),
  {
    audience: "people",
    secretFields: {},
    destinationField: "addresses",
    fields: "`addresses` (1-100)",
    sends: "One mail as text and HTML to all addresses; the mails about one incident form a thread",
  },
);
