/**
 * Discord, by a webhook: one embed. Discord reads Markdown in an embed's texts, so those of strangers are escaped. Mentions are
 * switched off.
 */
import { withoutLineBreaks } from "@svc/contract";
import type { GuardedResponse } from "@svc/egress";
import type { Announcement } from "../announcement.ts";
import { jsonOf, secondsAsMs, sendRequest } from "./http-request.ts";
import { defineSender } from "./sender.ts";

/** A request to the webhook. */
export interface DiscordMessage {
  url: string;
  body: {
    embeds: [
      {
        title: string;
        url: string;
        description: string;
        color: number;
        timestamp: string;
        fields: { name: string; value: string; inline: boolean }[];
      },
    ];
    allowed_mentions: { parse: [] };
  };
}

// Discord takes titles of 256 characters, 25 fields with values of 1,024, and 6,000 characters in one message. The longest message
// here has about 5,000. Lengths are those of the escaped texts.
const TITLE_MAX = 256;
const SUMMARY_MAX = 1_500;
const VALUE_MAX = 180;
const FIELDS_MAX = 12;
const LINKS_MAX = 4;
/** Longest value that shares its line with another field. */
const INLINE_MAX = 40;

/** Characters that begin markup; Discord takes a backslash before any of them. */
const MARKUP = /[\\*_~`|>#[\]()<:@-]/;
const COLORS = { critical: 0xd92d20, warning: 0xf79009, info: 0x2e90fa } as const;
const GREEN = 0x12b76a;

/** Posts one embed per notification. */
export const discord = defineSender("discord", {
  render: (announcement, { webhookUrl }): DiscordMessage => ({
    url: withConfirmation(webhookUrl),
    body: bodyOf(announcement),
  }),
  send: async ({ url, body }, context) => {
    const request = { url, method: "POST" as const, body, retryAfterMs };
    return { httpStatus: (await sendRequest(context, request)).status };
  },
});

/** Returns the URL by which Discord answers only once the message is stored; by the plain one it may lose it in silence. */
function withConfirmation(webhookUrl: string): string {
  const url = new URL(webhookUrl);
  url.searchParams.set("wait", "true");
  return url.href;
}

function bodyOf(announcement: Announcement): DiscordMessage["body"] {
  const { title, summary, severity, isEnding, details, links, occurredAt } = announcement;
  const linked = links.slice(0, LINKS_MAX).map(({ text, url }) => `[${text}](${url})`);
  return {
    embeds: [
      {
        title: escapedWithin(title, TITLE_MAX),
        url: announcement.subject.url,
        description: `${escapedWithin(summary, SUMMARY_MAX)}\n\n${linked.join(" | ")}`,
        color: isEnding ? GREEN : COLORS[severity],
        timestamp: occurredAt,
        fields: details.slice(0, FIELDS_MAX).map(([label, value]) => ({
          name: label,
          value: escapedWithin(value, VALUE_MAX),
          inline: value.length <= INLINE_MAX,
        })),
      },
    ],
    allowed_mentions: { parse: [] },
  };
}

/** Returns the delay of a rate limit, ms: seconds in the body or, of the limit of the webhook, in a header. */
function retryAfterMs(refusal: GuardedResponse): number | undefined {
  return secondsAsMs(jsonOf(refusal).retry_after) ?? secondsAsMs(refusal.headers["x-ratelimit-reset-after"]);
}

/** Returns the text on one line, with Markdown, mentions and links escaped, and cut to at most `lengthMax` UTF-16 units. */
function escapedWithin(text: string, lengthMax: number): string {
  let escaped = "";
  for (const character of withoutLineBreaks(text)) {
    const piece = MARKUP.test(character) ? `\\${character}` : character;
    if (escaped.length + piece.length > lengthMax - 1) return `${escaped}…`;
    escaped += piece;
  }
  return escaped;
}
