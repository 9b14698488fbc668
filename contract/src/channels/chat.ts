import * as z from "zod";
import { httpUrlSchema } from "../base/fields.ts";
import { closedObject } from "../base/objects.ts";
import { defineChannel } from "./channel-type.ts";

/** A team chat service's incoming webhook. */
export const chatChannel = defineChannel({
  schema: closedObject({ type: z.literal("chat"), webhookUrl: httpUrlSchema }),
  secretFields: { webhookUrl: "whole" },
});
