/** Team chat by an incoming webhook, in the form that Slack defined and others understand: text and one attachment. */
import type { AlertNotificationKind, Notification } from "../notifications/payload.ts";
import { sendRequest } from "./http-request.ts";
import type { ChannelSender, ConfigOf } from "./sender.ts";
import { factsOf, isEnding, oneLine, shortened, titleOf } from "./wording.ts";

export interface ChatMessage {
  url: string;
  body: {
    /** What a preview shows, and services that know no attachments. */
    text: string;
    attachments: {
      color: string;
      fallback: string;
      title: string;
      title_link: string;
      text: string;
      mrkdwn_in: string[];
      fields: { title: string; value: string; short: boolean }[];
      ts: number;
    }[];
  };
}

/** Values longer than this get a line of their own. */
const SHORT_FIELD_MAX = 40;
const SUMMARY_MAX = 2_000;
const COLORS = { critical: "#d92d20", warning: "#f79009", info: "#2e90fa" } as const;
const GREEN = "#12b76a";

export const chat: ChannelSender<ConfigOf<"chat">, ChatMessage> = {
  render: (notification, { webhookUrl }) => ({ url: webhookUrl, body: bodyOf(notification) }),
  send: async ({ url, body }, { egress, signal }) => ({
    httpStatus: (await sendRequest(egress, { url, method: "POST", body }, signal)).status,
  }),
};

function bodyOf(notification: Notification): ChatMessage["body"] {
  const { kind, payload, links } = notification;
  const title = escaped(titleOf(notification));
  const summary = escaped(shortened(oneLine(payload.summary), SUMMARY_MAX));
  return {
    text: `${EMOJI[kind]} *${title}*\n${summary}\n<${links.instance}|Open the alert> | <${links.check}|Open the check>`,
    attachments: [
      {
        color: isEnding(kind) ? GREEN : COLORS[payload.severity],
        fallback: `${title}: ${summary}`,
        title: escaped(payload.check.name),
        title_link: links.check,
        text: "",
        mrkdwn_in: ["text"],
        fields: factsOf(notification).map(([label, value]) => ({
          title: label,
          value: escaped(value),
          short: value.length <= SHORT_FIELD_MAX,
        })),
        ts: Math.floor(Date.parse(payload.occurredAt) / 1000),
      },
    ],
  };
}

const EMOJI: Record<AlertNotificationKind, string> = {
  triggered: ":rotating_light:",
  acknowledged: ":eyes:",
  escalated: ":arrow_double_up:",
  recovered: ":white_check_mark:",
  resolved: ":white_check_mark:",
};

/** The three characters that are markup there: without them no name can forge a link or call everyone (<!channel>). */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
