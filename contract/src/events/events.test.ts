import { expect, it } from "vitest";
import { feedEvents } from "./feed.ts";
import { incidentEvents } from "./incident.ts";
import { telemetryEvents } from "./telemetry.ts";

it("whatever happens to an incident is also a log record", () => {
  const ofIncidents = telemetryEvents.types.filter((name) => name.startsWith("synthetics.incident."));
  expect(ofIncidents).toEqual(incidentEvents.types.map((type) => `synthetics.incident.${type}`));
});

it("the feed tells of checks and alerts only", () => {
  expect(feedEvents.types.every((type) => /^(check|alert)\./.test(type))).toBe(true);
});
