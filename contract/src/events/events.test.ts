import { expect, it } from "vitest";
import { feedEventTypes } from "./feed.ts";
import { incidentEventTypes } from "./incident.ts";
import { telemetryEventTypes } from "./telemetry.ts";

it("whatever happens to an incident is also a log record", () => {
  const ofIncidents = telemetryEventTypes.types.filter((name) => name.startsWith("synthetics.incident."));
  expect(ofIncidents).toEqual(incidentEventTypes.types.map((type) => `synthetics.incident.${type}`));
});

it("the feed is of checks, alerts and locations only", () => {
  expect(feedEventTypes.types.every((type) => /^(check|alert|location)\./.test(type))).toBe(true);
});
