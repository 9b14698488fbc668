/** The overview as a screen with the wall gets it. Pure. */
import type { Overview } from "@svc/contract";

/**
 * Returns the overview without what the wall does not show: people, incidents, changes, names of channels, SLOs and hosts, and the
 * texts of errors, which may quote a target. Counts, states and names of checks and locations stay.
 */
export function overviewForDisplays(overview: Overview): Overview {
  return {
    ...overview,
    failing: overview.failing.map((check) => ({ ...check, errorMessage: null })),
    openIncidents: [],
    slosAtRisk: { ...overview.slosAtRisk, worst: [] },
    channelsFailing: { ...overview.channelsFailing, first: [] },
    certificates: { ...overview.certificates, next: null },
    telemetry: { ...overview.telemetry, lastError: null },
    attention: [],
    latest: [],
  };
}
