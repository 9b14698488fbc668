/** What people read in chat and mail, of an alert or of an incident: the same parts, so that each channel lays out one thing. */
import type { Severity } from "@svc/contract";
import type { AlertNotificationKind, Notification } from "../payload.ts";
import { factsOf, isEnding, titleOf } from "./wording.ts";

export interface Announcement {
  /** One line: what happened to what, how bad. */
  title: string;
  /** A sentence for people. */
  summary: string;
  severity: Severity;
  /** It is over. */
  isEnding: boolean;
  symbol: ChatSymbol;
  /** What it is about, with its page. */
  subject: { name: string; url: string };
  facts: [label: string, value: string][];
  links: { text: string; url: string }[];
  /** ISO 8601. */
  occurredAt: string;
  /** What belongs to it forms one thread. */
  threadId: string;
  isFirstOfThread: boolean;
}

/** As chat services name them. */
export type ChatSymbol =
  | "rotating_light"
  | "eyes"
  | "arrow_double_up"
  | "white_check_mark"
  | "heavy_plus_sign"
  | "repeat"
  | "memo"
  | "lock";

const SYMBOLS: Record<AlertNotificationKind, ChatSymbol> = {
  triggered: "rotating_light",
  acknowledged: "eyes",
  escalated: "arrow_double_up",
  recovered: "white_check_mark",
  resolved: "white_check_mark",
};

export function announcementOfAlert(notification: Notification): Announcement {
  const { kind, payload, links, instanceId, incidentId } = notification;
  return {
    title: titleOf(notification),
    summary: payload.summary,
    severity: payload.severity,
    isEnding: isEnding(kind),
    symbol: SYMBOLS[kind],
    subject: { name: payload.check.name, url: links.check },
    facts: factsOf(notification),
    links: [
      { text: "Open the alert", url: links.instance },
      { text: "Open the check", url: links.check },
    ],
    occurredAt: payload.occurredAt,
    threadId: incidentId ?? instanceId,
    isFirstOfThread: kind === "triggered" && incidentId === undefined,
  };
}
