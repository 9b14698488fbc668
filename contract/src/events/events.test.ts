import { expect, it } from "vitest";
import { FEED_EVENT_TYPES } from "./feed.ts";
import { INCIDENT_EVENT_TYPES } from "./incident.ts";
import { TELEMETRY_EVENT_NAMES } from "./telemetry.ts";

it("whatever happens to an incident is also a log record", () => {
  const ofIncidents = TELEMETRY_EVENT_NAMES.filter((name) => name.startsWith("synthetics.incident."));
  expect(ofIncidents).toEqual(INCIDENT_EVENT_TYPES.map((type) => `synthetics.incident.${type}`));
});

it("the feed tells of checks and alerts only", () => {
  expect(FEED_EVENT_TYPES.every((type) => /^(check|alert)\./.test(type))).toBe(true);
});
