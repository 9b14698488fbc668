/** Push messages by a topic of an ntfy server, published as JSON: texts are plain there, so nothing is escaped. */
import { truncate, withoutLineBreaks } from "@svc/contract";
import type { Announcement } from "../announcement.ts";
import { jsonOf, sendRequest } from "./http-request.ts";
import { type ConfigOf, defineSender, SendError } from "./sender.ts";

/** A message for a topic. */
export interface NtfyMessage {
  /** Root of the server, where JSON is published. */
  url: string;
  token: string | undefined;
  body: {
    topic: string;
    title: string;
    message: string;
    priority: number;
    tags: string[];
    click: string | undefined;
    actions: { action: "view"; label: string; url: string }[];
  };
}

// A server takes messages of 4,096 bytes, in JSON of twice as many; a longer one becomes an attachment. A character has up to four.
const TITLE_MAX = 200;
const SUMMARY_MAX = 350;
const VALUE_MAX = 60;
const DETAILS_MAX = 8;
/** Most buttons of a message. */
const ACTIONS_MAX = 3;

const PRIORITIES = { critical: 5, warning: 4, info: 3 } as const;
/** Priority of the end of something, which wakes nobody. */
const ENDING_PRIORITY = 3;

/** Publishes one message per notification. */
export const ntfy = defineSender("ntfy", {
  render: (announcement, config): NtfyMessage => {
    const { origin, pathname } = new URL(config.topicUrl);
    const end = pathname.lastIndexOf("/");
    return {
      url: origin + pathname.slice(0, end + 1),
      token: config.token,
      body: bodyOf(announcement, { topic: decodeURI(pathname.slice(end + 1)), priority: config.priority }),
    };
  },
  send: async ({ url, token, body }, context) => {
    const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const answer = await sendRequest(context, { url, method: "POST", headers, body });
    if (typeof jsonOf(answer).id !== "string")
      throw new SendError("the answer is not that of an ntfy server; is topicUrl right?", {
        mayRetry: false,
        httpStatus: answer.status,
      });
    return { httpStatus: answer.status };
  },
});

function bodyOf(
  announcement: Announcement,
  { topic, priority }: { topic: string; priority: ConfigOf<"ntfy">["priority"] },
): NtfyMessage["body"] {
  const { title, summary, details, severity, isEnding, symbol, links } = announcement;
  const lines = details.slice(0, DETAILS_MAX).map(([label, value]) => `${label}: ${cut(value, VALUE_MAX)}`);
  return {
    topic,
    title: cut(title, TITLE_MAX),
    message: [cut(summary, SUMMARY_MAX), ...lines].join("\n"),
    priority: priority ?? (isEnding ? ENDING_PRIORITY : PRIORITIES[severity]),
    tags: [symbol],
    click: links[0]?.url,
    actions: links.slice(0, ACTIONS_MAX).map(({ text, url }) => ({ action: "view", label: text, url })),
  };
}

function cut(text: string, charactersMax: number): string {
  return truncate(withoutLineBreaks(text), charactersMax).toWellFormed();
}
