/** Facts of incidents with valid defaults, so that a test states only what matters. */

import type { HypothesisFacts } from "../src/response/hypothesis/finding.ts";
import type { MemberFacts, PlaceFacts } from "../src/response/incidents/facts.ts";

/** A location where the check fails to connect since its slot. */
export function aPlace(overrides: Partial<PlaceFacts> = {}): PlaceFacts {
  const isFailing = overrides.isFailing ?? true;
  return {
    locationId: "loc_a",
    locationName: overrides.locationId ?? "loc_a",
    isFailing,
    slotMs: 1_000,
    failingSinceMs: isFailing ? 1_000 : null,
    errorCategory: isFailing ? "connect" : null,
    errorMessage: null,
    httpStatusCode: null,
    ...overrides,
  };
}

export function aMember(overrides: Partial<MemberFacts> = {}): MemberFacts {
  return {
    checkId: "chk_a",
    checkName: "Shop",
    checkType: "http",
    conditions: ["consecutive_failures"],
    summary: "failing from loc_a",
    host: "shop.example",
    labels: [],
    places: [aPlace()],
    locations: ["loc_a"],
    certificate: null,
    ...overrides,
  };
}

export function someHypothesisFacts(overrides: Partial<HypothesisFacts> = {}): HypothesisFacts {
  return {
    members: [aMember()],
    checkCount: 1,
    openedAtMs: Date.UTC(2026, 5, 1, 12),
    shared: ["host:shop.example"],
    failingLocations: new Map(),
    neighbours: [],
    deployments: [],
    windows: [],
    runners: [],
    ...overrides,
  };
}
