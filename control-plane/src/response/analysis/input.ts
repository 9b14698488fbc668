/** The input of an analysis: the stored evidence of one check, free of secrets. All instants are Unix ms. */
import type { ErrorCategory, LocationId, MissingReason, Timing } from "@svc/contract";
import type { FailureEvidence } from "../failures/failure.ts";

/** Result of one location for one slot. */
export interface Sample {
  slotMs: number;
  isSuccess: boolean;
  /** Null for a success; always known for anything else. */
  category: ErrorCategory | null;
  message: string | null;
  httpStatusCode: number | null;
  timing: Timing;
  /** The evidence in the result's detail; known of the newest failure of a location alone. */
  evidence?: FailureEvidence | undefined;
}

/** A location that the check runs from now, with its results. */
export interface LocationSamples {
  locationId: LocationId;
  /** Newest first. */
  samples: readonly Sample[];
}

/** Slots of the last six hours that have no result at a location. */
export interface MissingSlots {
  locationId: LocationId;
  /** Slots that were due. */
  expected: number;
  /** Number of slots without a result, by reason. */
  reasons: Readonly<Partial<Record<MissingReason, number>>>;
}

/** The stored evidence of one check, on which the analysis rules decide. */
export interface AnalysisInput {
  nowMs: number;
  check: { name: string; host: string | null; isEnabled: boolean; frequencySeconds: number };
  locations: readonly LocationSamples[];
  /** Newest first. */
  deployments: readonly { service: string; version: string; atMs: number }[];
  missing: readonly MissingSlots[];
  /** The certificate that was seen last; undefined when none was. */
  certificate: { validToMs: number; isTrusted: boolean; trustError: string | null } | undefined;
}

/** A location whose newest result is not a success. */
export interface FailingLocation extends LocationSamples {
  newest: Sample;
  /** Number of results in a row, up to now, that are not successes. */
  streak: number;
  /** The oldest result of the streak: the start of the trouble, as far back as the samples reach. */
  since: Sample;
}

/** True when the newest result of the location is not a success. */
function isFailing(location: LocationSamples): boolean {
  return location.samples[0]?.isSuccess === false;
}

/** Returns the failing locations, each with its streak of failures. */
export function failingLocations({ locations }: Pick<AnalysisInput, "locations">): FailingLocation[] {
  return locations.filter(isFailing).map((location) => {
    const firstSuccess = location.samples.findIndex(({ isSuccess }) => isSuccess);
    const streak = firstSuccess < 0 ? location.samples.length : firstSuccess;
    const [newest, since] = [location.samples[0], location.samples[streak - 1]] as [Sample, Sample];
    return { ...location, newest, since, streak };
  });
}

/** Returns the locations that have any result. */
export function measuredLocations({ locations }: Pick<AnalysisInput, "locations">): LocationSamples[] {
  return locations.filter(({ samples }) => samples.length > 0);
}

/** Returns the failing locations when every location with a result fails; otherwise none. */
export function failingEverywhere(input: AnalysisInput): FailingLocation[] {
  const failing = failingLocations(input);
  return failing.length === measuredLocations(input).length ? failing : [];
}

/** Returns when the present trouble began, as far back as the samples reach. */
export function startedAtMs(failing: readonly FailingLocation[]): number {
  return Math.min(...failing.map(({ since }) => since.slotMs));
}

/**
 * Returns the middle value; of an even number of values the lower middle one.
 * @param values at least one
 */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] as number;
}
