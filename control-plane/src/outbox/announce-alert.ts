/** The words of notifications about alerts. Pure. */
import { withoutLineBreaks } from "@svc/contract";
import { readableDuration, readableInstant } from "../platform/readable-time.ts";
import { type Announcement, type Detail, knownDetails } from "./announcement.ts";
import type { ChatSymbol, Effect } from "./effect.ts";
import { type AlertNotificationKind, type NotificationAboutAlert, subjectNameOf } from "./payload.ts";

/** Traits of a kind of notification; `words` end the title. */
interface KindTraits {
  words: string;
  symbol: ChatSymbol;
  effect: Effect;
  changesSeverity?: true;
}

const KINDS: Record<AlertNotificationKind, KindTraits> = {
  triggered: { words: "alert triggered", symbol: "rotating_light", effect: "raise" },
  acknowledged: { words: "alert acknowledged", symbol: "eyes", effect: "acknowledge" },
  escalated: {
    words: "alert escalated",
    symbol: "arrow_double_up",
    effect: "raise",
    changesSeverity: true,
  },
  recovered: { words: "recovered", symbol: "white_check_mark", effect: "end" },
  resolved: { words: "alert resolved", symbol: "white_check_mark", effect: "end" },
};

/** True when the transition ends the alert. */
export function isAlertEnd(kind: AlertNotificationKind): boolean {
  return KINDS[kind].effect === "end";
}

/** Returns what a notification about an alert says. */
export function announceAlert(notification: NotificationAboutAlert): Announcement {
  const { kind, payload, links, instanceId, incidentId } = notification;
  const { check, rule } = payload;
  const name = subjectNameOf(payload);
  const { symbol, effect, changesSeverity = false } = KINDS[kind];
  return {
    notification,
    title: titleOf(notification),
    summary: payload.summary,
    severity: payload.severity,
    isEnding: isAlertEnd(kind),
    symbol,
    subject: { name, url: links.check ?? links.instance },
    details: detailsOf(notification),
    links: [
      { text: "Open the alert", url: links.instance },
      ...(links.check === null ? [] : [{ text: "Open the check", url: links.check }]),
    ],
    occurredAt: payload.occurredAt,
    threadId: incidentId ?? instanceId,
    isFirstOfThread: kind === "triggered" && incidentId === undefined,
    // Within an incident, the end of one alert is not the end of the page or ticket, which stands for the incident.
    effect: effect === "end" && incidentId !== undefined ? "note" : effect,
    changesSeverity,
    reopens: false,
    origin: {
      source: payload.targetUrl ?? name,
      component: name,
      group: rule.name ?? check?.id ?? rule.id,
      class: check?.type ?? "slo",
    },
    evidence: { context: payload.context },
  };
}

function titleOf({ kind, payload, isTest }: NotificationAboutAlert): string {
  const severity = isAlertEnd(kind) ? "" : `[${payload.severity.toUpperCase()}] `;
  return withoutLineBreaks(
    `${isTest ? "[TEST] " : ""}${severity}${subjectNameOf(payload)}: ${KINDS[kind].words}`,
  );
}

function detailsOf({ payload }: NotificationAboutAlert): Detail[] {
  const { check, rule, severity, startedAt, durationMs, locations, targetUrl, traceId } = payload;
  return knownDetails([
    ["Check", check?.name ?? null],
    ["Rule", rule.name],
    ["Severity", severity],
    ["Target", targetUrl],
    ["Locations", locations.join(", ")],
    ["Started", readableInstant(startedAt)],
    ["Duration", durationMs === null ? null : readableDuration(durationMs)],
    ["Trace", traceId],
  ]);
}
