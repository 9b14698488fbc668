import * as z from "zod";
import { headersSchema, httpUrlSchema } from "../base/fields.ts";
import { closedObject } from "../base/objects.ts";
import { defineChannel } from "./channel-type.ts";

/** An HTTP endpoint of the user's. The service itself sets Content-Type. */
export const webhookChannel = defineChannel({
  schema: closedObject({
    type: z.literal("webhook"),
    url: httpUrlSchema,
    method: z.enum(["POST", "PUT"]).default("POST"),
    headers: headersSchema
      .refine(
        (headers) => !Object.keys(headers).some((name) => name.toLowerCase() === "content-type"),
        "Content-Type can't be set; it is always application/json",
      )
      .optional(),
  }),
  secretFields: { url: "beyond_origin", headers: "whole" },
});
