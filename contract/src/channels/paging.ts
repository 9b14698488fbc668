import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { defineChannel } from "./channel-type.ts";

/** A paging service's events API. */
export const pagingChannel = defineChannel({
  schema: closedObject({
    type: z.literal("paging"),
    routingKey: z
      .string()
      .min(1, "a routing key has at least 1 character")
      .max(64, "a routing key has at most 64 characters"),
    serviceRegion: z.enum(["us", "eu"]).default("us"),
  }),
  secretFields: { routingKey: "whole" },
});
