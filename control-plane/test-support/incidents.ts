/** Inputs of decisions about incidents, with valid defaults. */
import type { CheckId, LocationId } from "@svc/contract";
import type { HypothesisInput } from "../src/response/hypothesis/input.ts";
import type { LocationState, MemberProfile } from "../src/response/incidents/member-profile.ts";

/** Returns a location where the check has failed to connect since slot 1000. */
export function aLocationState(overrides: Partial<LocationState> = {}): LocationState {
  const isFailing = overrides.isFailing ?? true;
  return {
    locationId: "loc_a" as LocationId,
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

/** Returns a member whose check fails at one location. */
export function aMember(overrides: Partial<MemberProfile> = {}): MemberProfile {
  return {
    checkId: "chk_a" as CheckId,
    checkName: "Shop",
    checkType: "http",
    conditions: ["consecutive_failures"],
    summary: "failing from loc_a",
    host: "shop.example",
    labels: [],
    locationStates: [aLocationState()],
    locations: ["loc_a"],
    certificate: null,
    ...overrides,
  };
}

/** Returns the input of an incident with one member and nothing else known. */
export function someHypothesisInput(overrides: Partial<HypothesisInput> = {}): HypothesisInput {
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
