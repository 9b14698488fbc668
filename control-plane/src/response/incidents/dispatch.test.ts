import type { ChannelType } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { takesAlertsOnly } from "../../outbox/recipient.ts";
import { type Happening, isTold } from "./dispatch.ts";

const CHANNELS = ["webhook", "chat", "email", "paging", "ticketing"] as const;
const told = (happening: Happening, isSubscribed = true) =>
  CHANNELS.filter((type: ChannelType) => isTold(happening, { type, isSubscribed })).join(" ");

describe("events of incidents", () => {
  it.each([
    ["opened", "webhook chat email paging ticketing"],
    ["alert_attached", "webhook chat email paging ticketing"],
    ["severity_changed", "webhook chat email paging ticketing"],
    ["acknowledged", "webhook chat email paging ticketing"],
    ["auto_resolved", "webhook chat email paging ticketing"],
    ["closed", "webhook chat email paging ticketing"],
    ["reopened", "webhook chat email paging ticketing"],
    ["note_added", "webhook chat email ticketing"],
    ["alerts_recovered", "chat email"],
    ["members_recovered", "paging ticketing"],
  ] as const)("%s: %s", (type, channels) => {
    expect(told({ of: "incident", type })).toBe(channels);
  });
});

describe("what happens to single alerts", () => {
  it.each([
    ["triggered", false, ""],
    ["escalated", false, ""],
    ["acknowledged", false, "chat email ticketing"],
    ["acknowledged", true, "chat email paging ticketing"],
    ["recovered", false, "chat email ticketing"],
    ["recovered", true, "chat email"],
    ["resolved", false, "chat email ticketing"],
    ["resolved", true, "chat email"],
  ] as const)("%s, the last one: %s: %s", (kind, isLast, channels) => {
    expect(told({ of: "alert", kind, isLast })).toBe(channels);
  });
});

it("a webhook that does not subscribe takes alerts and nothing else; no other channel can", () => {
  for (const type of CHANNELS) {
    expect(takesAlertsOnly({ type, isSubscribed: false })).toBe(type === "webhook");
    expect(takesAlertsOnly({ type, isSubscribed: true })).toBe(false);
  }
  expect(isTold({ of: "incident", type: "opened" }, { type: "webhook", isSubscribed: false })).toBe(false);
});
