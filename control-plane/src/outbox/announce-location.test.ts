import { channelConfigSchema, type Location, type LocationId, newId } from "@svc/contract";
import { expect, it } from "vitest";
import { announce } from "./announce.ts";
import { paging } from "./channels/paging.ts";
import { ticketing } from "./channels/ticketing.ts";
import type { NotificationAboutLocation } from "./payload.ts";

type Health = Location["health"];

const ID = "loc_01h2xcejqtf2nbrexx3vqjhp41" as LocationId;

function about(health: Health, previousHealth: Health): NotificationAboutLocation {
  return {
    about: "location",
    id: newId("notification"),
    teamId: newId("team"),
    isTest: false,
    links: { location: `https://svc.example/locations/${ID}` },
    payload: {
      location: { id: ID, name: "office", displayName: "Berlin\noffice" },
      health,
      previousHealth,
      lastHeartbeat: "2026-06-01T12:00:00.000Z",
      checkCount: 2,
      occurredAt: "2026-06-01T12:04:00.000Z",
    },
  };
}

it.each<[Health, Health, string, string, string]>([
  ["offline", "degraded", "[CRITICAL] Berlin office: location is offline", "critical", "trigger"],
  ["degraded", "active", "[WARNING] Berlin office: location is degraded", "warning", "trigger"],
  ["active", "offline", "Berlin office: location is active", "info", "resolve"],
])(
  "%s, after %s, is said in one line and pages for the location",
  (health, before, title, severity, action) => {
    const announcement = announce(about(health, before));
    expect(announcement).toMatchObject({ title, severity, isEnding: health === "active" });
    const config = channelConfigSchema.parse({ type: "paging", routingKey: "a".repeat(32) });
    expect(paging.render(announcement, config as never).body).toMatchObject({
      event_action: action,
      dedup_key: ID,
    });
  },
);

it("a ticket stands for the location: made, reopened by the next trouble, resolved when it is over", () => {
  const config = channelConfigSchema.parse({
    type: "ticketing",
    instanceUrl: "https://desk.example",
    username: "u",
    password: "p",
    assignmentGroup: "ops",
  }) as never;
  const ticket = (health: Health, before: Health) =>
    ticketing.render(announce(about(health, before)), config);
  expect(ticket("offline", "active")).toMatchObject({
    correlationId: ID,
    ticket: { short_description: "[CRITICAL] Berlin office: location is offline" },
    change: { state: "2", urgency: "1" },
  });
  expect(ticket("offline", "active").change.work_notes).toContain("Location: https://svc.example/locations/");
  expect(ticket("offline", "degraded").change).not.toHaveProperty("state");
  expect(ticket("active", "degraded")).toMatchObject({ ticket: null, change: { state: "6" } });
});
