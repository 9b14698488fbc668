import * as z from "zod";
import { headersSchema, httpUrlSchema } from "../base/fields.ts";
import { closedObject } from "../base/objects.ts";
import { defineChannel } from "./define-channel.ts";

/** An HTTP endpoint of the user's own. The service sets Content-Type itself. */
export const webhookChannel = defineChannel(
  closedObject({
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
  {
    audience: "machine",
    secretFields: { url: "beyond_origin", headers: "whole" },
    secretDestinations: { url: ["url"], headers: ["url"] },
    destinationField: "url",
    fields: "`url`, `method` (`POST`, the default, or `PUT`), `headers`",
    sends: "The JSON body below",
  },
);
