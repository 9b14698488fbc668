import * as z from "zod";
import { baseUrlSchema, tokenSchema } from "../base/fields.ts";
import { closedObject } from "../base/objects.ts";
import { defineChannel, fieldsOfPeople } from "./define-channel.ts";

/** A channel of Slack, by the token of a bot: unlike an incoming webhook's, its messages form threads. */
export const slackChannel = defineChannel(
  closedObject({
    type: z.literal("slack").meta({ title: "Slack, by a bot" }),
    botToken: tokenSchema("a bot token").describe(
      "Bot token of a Slack app with the scope chat:write: xoxb-...",
    ),
    channel: z
      .string()
      .regex(/^\S{1,80}$/, "expected 1 to 80 characters without spaces")
      .describe("Id of the Slack channel, such as C0123456789; the bot is a member of it."),
    apiUrl: baseUrlSchema
      .default("https://slack.com/api")
      .describe("Base of Slack's Web API; another one for GovSlack or a proxy."),
    ...fieldsOfPeople,
  }),
  {
    audience: "people",
    secretFields: { botToken: "whole" },
    secretDestinations: { botToken: ["apiUrl"] },
    destinationField: "channel",
    fields: "`botToken`, `channel` (its id), `apiUrl` (`https://slack.com/api`)",
    sends:
      "`chat.postMessage`: the first message about an incident, and the others in its thread; text with links and one attachment",
  },
);
