import { type ChannelAudience, channelTypes } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { audienceOf } from "../../outbox/audience.ts";
import { incidentOccasions } from "../../outbox/incident-occasions/registry.ts";
import { ALERT_NOTIFICATION_KINDS } from "../../outbox/payload.ts";
import { takesAlertsOnly } from "../../outbox/recipient.ts";
import { isNotified, type Occasion } from "./routing.ts";

const notified = (occasion: Occasion, isSubscribed = true) =>
  channelTypes.types
    .filter((type) => isNotified(occasion, { audience: audienceOf(type), isSubscribed }))
    .sort();
const channels = (names: string) => names.split(" ").filter(Boolean).sort();

describe("occasions of incidents", () => {
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
  ] as const)("%s: %s", (type, names) => {
    expect(notified({ about: "incident", type })).toEqual(channels(names));
  });
});

describe("transitions of single alerts", () => {
  it.each([
    ["triggered", false, ""],
    ["escalated", false, ""],
    ["acknowledged", false, "chat email ticketing"],
    ["acknowledged", true, "chat email paging ticketing"],
    ["recovered", false, "chat email ticketing"],
    ["recovered", true, "chat email"],
    ["resolved", false, "chat email ticketing"],
    ["resolved", true, "chat email"],
  ] as const)("%s, the last one: %s: %s", (kind, isLast, names) => {
    expect(notified({ about: "alert", kind, isLast })).toEqual(channels(names));
  });
});

it("a webhook that does not subscribe takes alerts and nothing else; no other channel can", () => {
  for (const type of channelTypes.types) {
    const audience = audienceOf(type);
    expect(takesAlertsOnly({ audience, isSubscribed: false })).toBe(type === "webhook");
    expect(takesAlertsOnly({ audience, isSubscribed: true })).toBe(false);
  }
  expect(notified({ about: "incident", type: "opened" }, false)).not.toContain("webhook");
});

it.each<ChannelAudience>(["people", "page", "ticket", "machine"])(
  "a channel type for the audience %s hears of the start and of the end of an incident",
  (audience) => {
    const heard = incidentOccasions.types.filter((type) =>
      isNotified({ about: "incident", type }, { audience, isSubscribed: true }),
    );
    expect(heard).toEqual(expect.arrayContaining(["opened", "auto_resolved"]));
  },
);

it("every kind of alert notification is routed", () => {
  for (const kind of ALERT_NOTIFICATION_KINDS)
    expect(() => notified({ about: "alert", kind, isLast: true })).not.toThrow();
});
