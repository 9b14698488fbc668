import { describe, expect, it } from "vitest";
import { type TimelineSources, timelineOf, timelineText } from "./timeline-entries.ts";

const at = (minute: number) => `2026-03-01T12:${String(minute).padStart(2, "0")}:00.000Z`;
const event = (
  eventType: string,
  minute: number,
  more: object = {},
  actor: object = { type: "system", id: null },
) => ({
  id: `incevt_${eventType}${minute}`,
  incidentId: "inc_a",
  eventType,
  occurredAt: at(minute),
  actor,
  payload: { title: "Shop is down", severity: "critical", ...more },
});
const ada = { type: "user", id: "user_1", name: "ada@example.com" };
const sources = {
  events: [
    event("opened", 10),
    event("alert_attached", 11, { attachedAlertInstanceIds: ["ainst_b"] }),
    event("note_added", 14, { note: { id: "note_a", body: "Rolling back\nnow" } }, ada),
    event("auto_resolved", 20),
  ],
  alerts: [
    {
      id: "ainst_a",
      checkName: "Cart",
      ruleName: "Down",
      startedAt: at(9),
      acknowledgedAt: null,
      recoveredAt: at(15),
      resolvedAt: null,
    },
    {
      id: "ainst_b",
      checkName: "Pay",
      ruleName: "Down",
      startedAt: at(11),
      acknowledgedAt: null,
      recoveredAt: null,
      resolvedAt: null,
    },
  ],
  notifications: [
    {
      id: "ntf_a",
      channelName: "On call",
      channelType: "webhook",
      eventType: "opened",
      status: "failed",
      error: "HTTP 500",
      createdAt: at(12),
    },
  ],
  annotations: [
    { kind: "incident", at: at(10), until: null, title: "Shop is down", subjectId: "inc_a" },
    { kind: "deployment", at: at(5), until: null, title: "shop 2", subjectId: "dep_a" },
  ],
} as unknown as TimelineSources;

describe("the timeline", () => {
  it("has everything in one order, and what has an entry of its own once", () => {
    expect(timelineOf(sources).map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      "Deployment: shop 2 was deployed",
      "Alert: Cart: Down fired",
      "Incident: Opened: Shop is down",
      "Alert: Pay: Down fired",
      "Notification: On call (webhook) could not be notified: opened",
      "Note: Note",
      "Alert: Cart: Down recovered",
      "Incident: Resolved: no alert is open any more",
    ]);
  });

  it("tells that alerts joined whose records are gone", () => {
    const texts = timelineOf({ ...sources, alerts: [] }).map(({ text }) => text);
    expect(texts).toContain("An alert joined");
  });

  it("names people, and keeps the lines of a note together as text", () => {
    expect(timelineText(timelineOf(sources))).toContain(
      `${at(14)}  Note: Note, by ada@example.com\n    Rolling back\n    now\n`,
    );
  });
});
