import * as z from "zod";
import { uniqueItems } from "../base/fields.ts";
import { closedObject } from "../base/objects.ts";
import { defineChannel } from "./channel-type.ts";

export const emailChannel = defineChannel({
  schema: closedObject({
    type: z.literal("email"),
    addresses: z
      .array(z.email("not a valid email address").max(254, "an address has at most 254 characters"))
      .min(1, "at least one address")
      .max(100, "at most 100 addresses")
      .superRefine(uniqueItems),
  }),
  secretFields: {},
});
