/** Team chat by an incoming webhook, in the form that Slack defined and others understand. */
import { sendRequest } from "./http-request.ts";
import { defineSender } from "./sender.ts";
import { type SlackLayout, slackLayoutOf } from "./slack-layout.ts";

/** A request to the incoming webhook. */
export interface ChatMessage {
  url: string;
  body: SlackLayout;
}

/** Posts one message per notification. Nothing about an earlier message is remembered. */
export const chat = defineSender("chat", {
  render: (announcement, { webhookUrl }): ChatMessage => ({
    url: webhookUrl,
    body: slackLayoutOf(announcement),
  }),
  send: async ({ url, body }, context) => ({
    httpStatus: (await sendRequest(context, { url, method: "POST", body })).status,
  }),
});
