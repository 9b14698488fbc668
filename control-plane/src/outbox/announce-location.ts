/** The words of notifications about the health of locations. Pure. */
import { type Location, type Severity, withoutLineBreaks } from "@svc/contract";
import { readableInstant } from "../platform/readable-time.ts";
import { type Announcement, knownDetails } from "./announcement.ts";
import type { ChatSymbol } from "./effect.ts";
import type { LocationNotificationPayload, NotificationAboutLocation } from "./payload.ts";

type Health = Location["health"];

/** Traits of a notification, by the health that the location has now; `words` end the title. */
interface HealthTraits {
  words: string;
  severity: Severity;
  symbol: ChatSymbol;
}

const HEALTHS: Record<Health, HealthTraits> = {
  active: { words: "location is active", severity: "info", symbol: "white_check_mark" },
  degraded: { words: "location is degraded", severity: "warning", symbol: "arrow_double_up" },
  offline: { words: "location is offline", severity: "critical", symbol: "rotating_light" },
};

/** Returns the severity of a location's health: of the notification, and of the event that records the change. */
export function severityOfHealth(health: Health): Severity {
  return HEALTHS[health].severity;
}

/** Returns one line for people about a change of health. */
export function summaryOfHealth({ location, health, checkCount }: LocationNotificationPayload): string {
  const name = location.displayName;
  const checks = checkCount === 1 ? "1 check" : `${checkCount} checks`;
  if (health === "active") return `${name} is active: it runs ${checks}.`;
  if (health === "offline") return `${name} sends no heartbeat: runs of ${checks} are missing.`;
  return `${name} misses slots or heartbeats: runs of ${checks} may be missing.`;
}

/** Returns what a notification about a location says. */
export function announceLocation(notification: NotificationAboutLocation): Announcement {
  const { payload, links, isTest } = notification;
  const { location, health, previousHealth, lastHeartbeat, checkCount, occurredAt } = payload;
  const { words, severity, symbol } = HEALTHS[health];
  const isEnding = health === "active";
  const prefix = `${isTest ? "[TEST] " : ""}${isEnding ? "" : `[${severity.toUpperCase()}] `}`;
  return {
    notification,
    title: withoutLineBreaks(`${prefix}${location.displayName}: ${words}`),
    summary: withoutLineBreaks(summaryOfHealth(payload)),
    severity,
    isEnding,
    symbol,
    subject: { name: location.displayName, url: links.location },
    details: knownDetails([
      ["Location", location.name],
      ["Health", health],
      ["Before", previousHealth],
      ["Last heartbeat", lastHeartbeat === null ? "none" : readableInstant(lastHeartbeat)],
      ["Checks", String(checkCount)],
    ]),
    links: [{ text: "Open the location", url: links.location }],
    occurredAt,
    threadId: location.id,
    isFirstOfThread: false,
    effect: isEnding ? "end" : "raise",
    changesSeverity: !isEnding,
    reopens: !isEnding && previousHealth === "active",
    origin: {
      source: location.displayName,
      component: location.name,
      group: location.id,
      class: "location",
    },
    evidence: {},
  };
}
