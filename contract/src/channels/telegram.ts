import * as z from "zod";
import { baseUrlSchema, tokenSchema } from "../base/fields.ts";
import { closedObject } from "../base/objects.ts";
import { defineChannel, fieldsOfPeople } from "./define-channel.ts";

/** A chat of Telegram, by the token of a bot. */
export const telegramChannel = defineChannel(
  closedObject({
    type: z.literal("telegram").meta({ title: "Telegram" }),
    botToken: tokenSchema("a bot token").describe("Token of the bot, as BotFather gave it: 123456:ABC..."),
    chatId: z
      .string()
      .regex(
        /^(-?\d{1,20}|@\w{1,64})$/,
        "expected the number of a chat, as a text, or @ and a channel's name",
      )
      .describe("Number of the chat, such as -1001234567890, or @ and the name of a public channel."),
    topicId: z
      .int()
      .min(1, "smallest is 1")
      .max(2 ** 31 - 1)
      .optional()
      .describe("Topic of a group with topics. Default: the general one."),
    apiUrl: baseUrlSchema
      .default("https://api.telegram.org")
      .describe("Base of the Bot API; another one for a Bot API server of your own."),
    ...fieldsOfPeople,
  }),
  {
    audience: "people",
    secretFields: { botToken: "whole" },
    secretDestinations: { botToken: ["apiUrl"] },
    destinationField: "chatId",
    fields: "`botToken`, `chatId`, `topicId`, `apiUrl` (`https://api.telegram.org`)",
    sends: "`sendMessage`: text with links; messages about one incident reply to the first",
  },
);
