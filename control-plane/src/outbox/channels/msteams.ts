/**
 * Microsoft Teams, by a flow of its Workflows app that posts the Adaptive Card of a webhook request. All texts stand in
 * RichTextBlocks, which know no Markdown, unlike TextBlock and FactSet: no name can forge a link.
 */
import { truncate, withoutLineBreaks } from "@svc/contract";
import type { Announcement } from "../announcement.ts";
import { sendRequest } from "./http-request.ts";
import { defineSender } from "./sender.ts";

interface TextRun {
  type: "TextRun";
  text: string;
  weight?: "bolder";
  size?: "medium";
}

interface RichTextBlock {
  type: "RichTextBlock";
  inlines: TextRun[];
  spacing?: "small";
}

/** A box whose style is its colour. */
interface Container {
  type: "Container";
  style: "attention" | "warning" | "accent" | "good";
  bleed: true;
  items: RichTextBlock[];
}

/** A request to the flow's webhook, with one card. */
export interface TeamsMessage {
  url: string;
  body: {
    type: "message";
    attachments: {
      contentType: "application/vnd.microsoft.card.adaptive";
      contentUrl: null;
      content: {
        $schema: "http://adaptivecards.io/schemas/adaptive-card.json";
        type: "AdaptiveCard";
        version: "1.4";
        body: (Container | RichTextBlock)[];
        actions: { type: "Action.OpenUrl"; title: string; url: string }[];
        msteams: { width: "Full" };
      };
    }[];
  };
}

// Teams refuses a message of more than 28 KB. The longest card has about half as many characters.
const TITLE_MAX = 300;
const SUMMARY_MAX = 2_000;
const DETAIL_MAX = 300;
const DETAILS_MAX = 15;
/** Most actions that Teams shows of a card. */
const ACTIONS_MAX = 6;

const STYLES = { critical: "attention", warning: "warning", info: "accent" } as const;

/** Posts one card per notification. */
export const msteams = defineSender("msteams", {
  render: (announcement, { webhookUrl }): TeamsMessage => ({ url: webhookUrl, body: bodyOf(announcement) }),
  send: async ({ url, body }, context) => ({
    httpStatus: (await sendRequest(context, { url, method: "POST", body })).status,
  }),
});

function bodyOf(announcement: Announcement): TeamsMessage["body"] {
  const { title, summary, severity, isEnding, details, links } = announcement;
  return {
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        contentUrl: null,
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.4",
          body: [
            {
              type: "Container",
              style: isEnding ? "good" : STYLES[severity],
              bleed: true,
              items: [textBlock({ ...textRun(title, TITLE_MAX), weight: "bolder", size: "medium" })],
            },
            textBlock(textRun(summary, SUMMARY_MAX)),
            ...details.slice(0, DETAILS_MAX).map(([label, value]) => detailBlock(label, value)),
          ],
          actions: links
            .slice(0, ACTIONS_MAX)
            .map(({ text, url }) => ({ type: "Action.OpenUrl", title: text, url })),
          msteams: { width: "Full" },
        },
      },
    ],
  };
}

function detailBlock(label: string, value: string): RichTextBlock {
  const name: TextRun = { type: "TextRun", text: `${label}: `, weight: "bolder" };
  return { ...textBlock(name, textRun(value, DETAIL_MAX)), spacing: "small" };
}

function textBlock(...inlines: TextRun[]): RichTextBlock {
  return { type: "RichTextBlock", inlines };
}

function textRun(text: string, charactersMax: number): TextRun {
  return { type: "TextRun", text: truncate(withoutLineBreaks(text), charactersMax) };
}
