/** What notifications say in words: the same in each channel. Pure. */
import { oneLine } from "@svc/contract";
import type { AlertNotificationKind, Notification } from "../payload.ts";

const VERBS: Record<AlertNotificationKind, string> = {
  triggered: "alert triggered",
  acknowledged: "alert acknowledged",
  escalated: "alert escalated",
  recovered: "recovered",
  resolved: "alert resolved",
};

/** Whether it ends what an earlier one began. */
export function isEnding(kind: AlertNotificationKind): boolean {
  return kind === "recovered" || kind === "resolved";
}

/** One line: what happened to which check, how bad. Never holds a line break. */
export function titleOf({ kind, payload, isTest }: Notification): string {
  const severity = isEnding(kind) ? "" : `[${payload.severity.toUpperCase()}] `;
  return oneLine(`${isTest ? "[TEST] " : ""}${severity}${payload.check.name}: ${VERBS[kind]}`);
}

/** What is known, as label and value; what is not known is left out. */
export function factsOf({ payload }: Notification): [label: string, value: string][] {
  const { check, rule, severity, startedAt, durationMs, locations, targetUrl, traceId } = payload;
  const facts: [string, string | null][] = [
    ["Check", check.name],
    ["Rule", rule.name],
    ["Severity", severity],
    ["Target", targetUrl],
    ["Locations", locations.length > 0 ? locations.join(", ") : null],
    ["Started", readableInstant(startedAt)],
    ["Duration", durationMs === null ? null : readableDuration(durationMs)],
    ["Trace", traceId],
  ];
  return facts.flatMap(([label, value]) => (value === null || value === "" ? [] : [[label, oneLine(value)]]));
}

/** "2026-06-01 12:00:05 UTC" */
export function readableInstant(iso: string): string {
  return `${new Date(iso).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** "2 h 5 min", "45 s": the two largest units that are not zero. */
export function readableDuration(durationMs: number): string {
  const seconds = Math.max(0, Math.round(durationMs / 1000));
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3_600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [seconds % 60, "s"],
  ];
  const shown = parts.filter(([count]) => count > 0).slice(0, 2);
  return shown.length === 0 ? "0 s" : shown.map(([count, unit]) => `${count} ${unit}`).join(" ");
}
