import { type ChannelAudience, channelTypes } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { audienceOf } from "../../outbox/audience.ts";
import { incidentOccasions } from "../../outbox/incident-occasions/registry.ts";
import { ALERT_NOTIFICATION_KINDS } from "../../outbox/payload.ts";
import { wantsAlertsOnly } from "../../outbox/recipient.ts";
import { isNotified, type Occasion } from "./routing.ts";

const AUDIENCES: readonly ChannelAudience[] = ["people", "page", "ticket", "machine"];

const notified = (occasion: Occasion, isSubscribed = true) =>
  AUDIENCES.filter((audience) => isNotified(occasion, { audience, isSubscribed })).sort();
const audiences = (names: string) => names.split(" ").filter(Boolean).sort();

describe("occasions of incidents", () => {
  it.each([
    ["opened", "machine people page ticket"],
    ["alert_attached", "machine people page ticket"],
    ["severity_changed", "machine people page ticket"],
    ["acknowledged", "machine people page ticket"],
    ["auto_resolved", "machine people page ticket"],
    ["closed", "machine people page ticket"],
    ["reopened", "machine people page ticket"],
    ["note_added", "machine people ticket"],
    ["alerts_recovered", "people"],
    ["members_recovered", "page ticket"],
  ] as const)("%s: %s", (type, names) => {
    expect(notified({ about: "incident", type })).toEqual(audiences(names));
  });
});

describe("transitions of single alerts", () => {
  it.each([
    ["triggered", false, ""],
    ["escalated", false, ""],
    ["acknowledged", false, "people ticket"],
    ["acknowledged", true, "people page ticket"],
    ["recovered", false, "people ticket"],
    ["recovered", true, "people"],
    ["resolved", false, "people ticket"],
    ["resolved", true, "people"],
  ] as const)("%s, the last one: %s: %s", (kind, isLast, names) => {
    expect(notified({ about: "alert", kind, isLast })).toEqual(audiences(names));
  });
});

it("a webhook that does not subscribe takes alerts and nothing else; no other channel can", () => {
  for (const type of channelTypes.types) {
    const audience = audienceOf(type);
    expect(wantsAlertsOnly({ audience, isSubscribed: false })).toBe(type === "webhook");
    expect(wantsAlertsOnly({ audience, isSubscribed: true })).toBe(false);
  }
  expect(notified({ about: "incident", type: "opened" }, false)).not.toContain("machine");
});

it.each(AUDIENCES)(
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
