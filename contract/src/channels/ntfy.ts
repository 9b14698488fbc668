import * as z from "zod";
import { baseUrlSchema, tokenSchema } from "../base/fields.ts";
import { closedObject } from "../base/objects.ts";
import { defineChannel, fieldsOfPeople } from "./define-channel.ts";

/** A topic of an ntfy server, which pushes its messages to phones. Who knows the topic's name can read it. */
export const ntfyChannel = defineChannel(
  closedObject({
    type: z.literal("ntfy").meta({ title: "ntfy" }),
    topicUrl: baseUrlSchema
      .refine(
        (text) => /\/[^/]{1,64}$/.test(pathOf(text)),
        "expected the URL of a topic: https://ntfy.sh/topic",
      )
      .describe("URL of the topic, such as https://ntfy.sh/ops-7f3a; whoever knows a public topic reads it."),
    token: tokenSchema("a token").optional().describe("Access token, where the topic is protected: tk_..."),
    priority: z
      .int()
      .min(1, "smallest is 1")
      .max(5, "largest is 5")
      .optional()
      .describe("Priority of every message. Default: 5 when critical, 4 for a warning, 3 otherwise."),
    ...fieldsOfPeople,
  }),
  {
    audience: "people",
    secretFields: { topicUrl: "beyond_origin", token: "whole" },
    secretDestinations: { topicUrl: ["topicUrl"], token: ["topicUrl"] },
    destinationField: "topicUrl",
    fields: "`topicUrl`, `token`, `priority` (1-5; by the severity)",
    sends: "A push message with the severity as its priority, and buttons that open the pages",
  },
);

function pathOf(text: string): string {
  return URL.canParse(text) ? new URL(text).pathname : "/topic";
}
