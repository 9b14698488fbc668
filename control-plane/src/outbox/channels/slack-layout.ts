/** The layout of a message in Slack's form, which other chat services understand, too: text and one attachment. Pure. */
import { truncate, withoutLineBreaks } from "@svc/contract";
import type { Announcement } from "../announcement.ts";

/** Text and attachment of a message. */
export interface SlackLayout {
  /** Text for previews, and for services that know no attachments. */
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
}

/** Longest value that shares its line with another field. */
const SHORT_FIELD_MAX = 40;
// Slack cuts a text of more than 40,000 characters. An escaped character has up to five.
const TITLE_MAX = 500;
const SUMMARY_MAX = 2_000;
const VALUE_MAX = 1_000;
const COLORS = { critical: "#d92d20", warning: "#f79009", info: "#2e90fa" } as const;
const GREEN = "#12b76a";

/** Returns the announcement in Slack's form. */
export function slackLayoutOf(announcement: Announcement): SlackLayout {
  const title = escaped(truncate(announcement.title, TITLE_MAX));
  const summary = escaped(truncate(withoutLineBreaks(announcement.summary), SUMMARY_MAX));
  const links = announcement.links.map(({ text, url }) => `<${url}|${text}>`).join(" | ");
  return {
    text: `:${announcement.symbol}: *${title}*\n${summary}\n${links}`,
    attachments: [
      {
        color: announcement.isEnding ? GREEN : COLORS[announcement.severity],
        fallback: `${title}: ${summary}`,
        title: escaped(truncate(announcement.subject.name, TITLE_MAX)),
        title_link: announcement.subject.url,
        text: "",
        mrkdwn_in: ["text"],
        fields: announcement.details.map(([label, value]) => ({
          title: label,
          value: escaped(truncate(value, VALUE_MAX)),
          short: value.length <= SHORT_FIELD_MAX,
        })),
        ts: Math.floor(Date.parse(announcement.occurredAt) / 1000),
      },
    ],
  };
}

/** Escapes the three characters of markup, so that no name can forge a link or call everyone (`<!channel>`). */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
