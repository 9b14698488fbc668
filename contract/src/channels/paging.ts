import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { defineChannel } from "./define-channel.ts";

/** A paging service's events API. The type's name in JSON is `paging`. */
export const pagerChannel = defineChannel(
  closedObject({
    type: z.literal("paging"),
    routingKey: z
      .string()
      .min(1, "a routing key has at least 1 character")
      .max(64, "a routing key has at most 64 characters"),
    serviceRegion: z.enum(["us", "eu"]).default("us"),
  }),
  {
    audience: "page",
    secretFields: { routingKey: "whole" },
    secretDestinations: { routingKey: ["serviceRegion"] },
    destinationField: "serviceRegion",
    fields: "`routingKey`, `serviceRegion` (`us`, the default, or `eu`)",
    sends: "PagerDuty Events API v2: trigger, acknowledge, resolve; the incident's id is the dedup key",
  },
);
