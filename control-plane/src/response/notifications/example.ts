/** An alert and a location that never were, for trying a channel out. */
import { MINUTE_MS, newId } from "@svc/contract";
import { isAlertEnd } from "../../outbox/announce-alert.ts";
import type {
  AlertNotificationKind,
  AlertNotificationPayload,
  LocationNotificationPayload,
} from "../../outbox/payload.ts";

const LASTED_MS = 5 * MINUTE_MS;

/** Returns the payload of a notification about the example. Nothing in it exists. */
export function exampleOfAlert(kind: AlertNotificationKind, nowMs: number): AlertNotificationPayload {
  const hasEnded = isAlertEnd(kind);
  return {
    rule: { id: newId("alertRule"), name: "Example rule" },
    check: { id: newId("check"), name: "Example check", type: "http" },
    severity: "critical",
    summary: hasEnded
      ? "This is a test: the example check succeeds again."
      : "This is a test: the example check is failing: status 503, expected 200.",
    startedAt: new Date(nowMs - LASTED_MS).toISOString(),
    occurredAt: new Date(nowMs).toISOString(),
    durationMs: hasEnded ? LASTED_MS : null,
    context: { conditions: [{ type: "consecutive_failures", threshold: 2, observed: 2, resultIds: [] }] },
    targetUrl: "https://example.com/",
    locations: ["US East (Virginia)"],
    traceId: null,
  };
}

/** Returns the payload of a notification about the example of a location, which went offline. */
export function exampleOfLocation(nowMs: number): LocationNotificationPayload {
  return {
    location: { id: newId("location"), name: "example", displayName: "Example location" },
    health: "offline",
    previousHealth: "active",
    lastHeartbeat: new Date(nowMs - LASTED_MS).toISOString(),
    checkCount: 3,
    occurredAt: new Date(nowMs).toISOString(),
  };
}
