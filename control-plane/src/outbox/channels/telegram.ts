/**
 * Telegram, by the token of a bot. Texts are HTML, the one parse mode in which each text of a stranger can be escaped. The first
 * message about a subject is remembered with its chat, and the others reply to it.
 */
import { truncate, withoutLineBreaks, withoutTrailingSlashes } from "@svc/contract";
import type { GuardedResponse } from "@svc/egress";
import type { Announcement } from "../announcement.ts";
import { jsonOf, secondsAsMs, sendRequest } from "./http-request.ts";
import { defineSender, SendError } from "./sender.ts";

/** A call of `sendMessage`, apart from the message that it replies to. */
export interface TelegramMessage {
  url: string;
  body: {
    chat_id: string;
    message_thread_id?: number;
    text: string;
    parse_mode: "HTML";
    link_preview_options: { is_disabled: true };
  };
}

// Telegram takes 4,096 characters after its entities are parsed: UTF-16 units of what is shown. The longest message has about 3,600.
const TITLE_MAX = 256;
const SUMMARY_MAX = 700;
const VALUE_MAX = 80;
const DETAILS_MAX = 12;
const LINKS_MAX = 4;

/** Posts one message per notification. */
export const telegram = defineSender("telegram", {
  render: (announcement, { botToken, chatId, topicId, apiUrl }): TelegramMessage => ({
    url: `${withoutTrailingSlashes(apiUrl)}/bot${botToken}/sendMessage`,
    body: {
      chat_id: chatId,
      ...(topicId !== undefined && { message_thread_id: topicId }),
      text: textOf(announcement),
      parse_mode: "HTML",
      link_preview_options: { is_disabled: true },
    },
  }),
  send: async ({ url, body }, context) => {
    const prefix = `${body.chat_id}/`;
    const first = context.externalId?.startsWith(prefix)
      ? Number(context.externalId.slice(prefix.length))
      : 0;
    const response = await sendRequest(context, {
      url,
      method: "POST",
      body: first
        ? { ...body, reply_parameters: { message_id: first, allow_sending_without_reply: true } }
        : body,
      retryAfterMs,
    });
    const { ok, result } = jsonOf(response) as { ok?: unknown; result?: { message_id?: unknown } };
    if (ok !== true)
      throw new SendError("Telegram did not answer with an outcome; is apiUrl right?", {
        mayRetry: true,
        httpStatus: response.status,
      });
    const id = result?.message_id;
    return {
      httpStatus: response.status,
      ...(first === 0 && Number.isSafeInteger(id) && { externalId: `${prefix}${id}` }),
    };
  },
});

function textOf({ title, summary, details, links }: Announcement): string {
  const lines = details
    .slice(0, DETAILS_MAX)
    .map(([label, value]) => `${escapedWithin(label, VALUE_MAX)}: <b>${escapedWithin(value, VALUE_MAX)}</b>`);
  const anchors = links
    .slice(0, LINKS_MAX)
    .map(({ text, url }) => `<a href="${escaped(url)}">${escapedWithin(text, VALUE_MAX)}</a>`);
  return [
    `<b>${escapedWithin(title, TITLE_MAX)}</b>`,
    escapedWithin(summary, SUMMARY_MAX),
    "",
    ...lines,
    "",
    anchors.join(" | "),
  ].join("\n");
}

/** Returns the delay of a rate limit, ms. */
function retryAfterMs(refusal: GuardedResponse): number | undefined {
  const { parameters } = jsonOf(refusal) as { parameters?: { retry_after?: unknown } };
  return secondsAsMs(parameters?.retry_after);
}

function escapedWithin(text: string, charactersMax: number): string {
  return escaped(truncate(withoutLineBreaks(text), charactersMax));
}

/** Escapes the characters of HTML by the four entities that Telegram knows. */
function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
