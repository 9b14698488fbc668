/** What an analysis looks at: a check's stored evidence, without anything secret. All instants are Unix ms. */
import type { ErrorCategory, MissingReason, Timing } from "@svc/contract";

/** What one location measured for one slot. */
export interface Sample {
  slotMs: number;
  isSuccess: boolean;
  /** Of a success null; of anything else always there. */
  category: ErrorCategory | null;
  message: string | null;
  httpStatusCode: number | null;
  timing: Timing;
}

/** A location where the check runs now. */
export interface PlaceEvidence {
  locationId: string;
  /** Newest first. */
  samples: readonly Sample[];
}

export interface MissingEvidence {
  locationId: string;
  expected: number;
  /** Slots without a result, by why. */
  reasons: Readonly<Partial<Record<MissingReason, number>>>;
}

export interface AnalysisFacts {
  nowMs: number;
  check: { name: string; host: string | null; isEnabled: boolean; frequencySeconds: number };
  places: readonly PlaceEvidence[];
  /** Newest first. */
  deployments: readonly { service: string; version: string; atMs: number }[];
  /** Of the last six hours. */
  missing: readonly MissingEvidence[];
  /** The one that was seen last. */
  certificate: { validToMs: number; isTrusted: boolean; trustError: string | null } | undefined;
}

/** A place whose newest result is no success. */
export interface FailingPlace extends PlaceEvidence {
  newest: Sample;
  /** Non-successes in a row, up to now. */
  streak: number;
  /** The first of them: when it began, as far as the samples reach. */
  since: Sample;
}

export function isFailing(place: PlaceEvidence): boolean {
  return place.samples[0]?.isSuccess === false;
}

export function failingPlaces({ places }: Pick<AnalysisFacts, "places">): FailingPlace[] {
  return places.filter(isFailing).map((place) => {
    const firstSuccess = place.samples.findIndex(({ isSuccess }) => isSuccess);
    const streak = firstSuccess < 0 ? place.samples.length : firstSuccess;
    const [newest, since] = [place.samples[0], place.samples[streak - 1]] as [Sample, Sample];
    return { ...place, newest, since, streak };
  });
}

/** Places that have any result. */
export function seenPlaces({ places }: Pick<AnalysisFacts, "places">): PlaceEvidence[] {
  return places.filter(({ samples }) => samples.length > 0);
}

/** The failing places, when they are all that have a result; else none. */
export function failingEverywhere(facts: AnalysisFacts): FailingPlace[] {
  const failing = failingPlaces(facts);
  return failing.length === seenPlaces(facts).length ? failing : [];
}

/** When the present trouble began, as far as the samples reach. */
export function startedAtMs(failing: readonly FailingPlace[]): number {
  return Math.min(...failing.map(({ since }) => since.slotMs));
}

/** The middle value; of an even number the lower middle one. @param values at least one */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] as number;
}
