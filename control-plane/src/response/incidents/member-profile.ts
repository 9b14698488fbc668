/**
 * Profile of an incident's member: everything that correlation and hypothesis may consider about an alert. Read when the
 * alert begins and stored with the member, so that later decisions see the state of that moment.
 */
import { type CheckId, type CheckType, conditionTypes, type LocationId } from "@svc/contract";
import type { Failure, FailureEvidence } from "../failures/failure.ts";
import type { MainPhase } from "../phases.ts";

/** The newest result of the check at one of its locations. */
export interface LocationState {
  locationId: LocationId;
  locationName: string;
  isFailing: boolean;
  /** Slot of the result, Unix ms. */
  slotMs: number;
  /** Slot of the first of the failures that last until now, Unix ms; null unless the location fails. */
  failingSinceMs: number | null;
  errorCategory: string | null;
  errorMessage: string | null;
  httpStatusCode: number | null;
  /** The evidence of a failure in the result's detail; absent when it shows nothing of note. */
  evidence?: FailureEvidence;
  /** The phase that takes most of a success' time; absent when none does. */
  mainPhase?: MainPhase;
}

/** The certificate that the check saw last. */
export interface SeenCertificate {
  fingerprintSha256: string;
  validTo: string;
  isTrusted: boolean;
  trustError: string | null;
  /** Instant at which the certificate was first seen, Unix ms; null unless another one was seen before it. */
  changedAtMs: number | null;
}

/** The state of a member's check, rule and target when its alert began. */
export interface MemberProfile {
  /** null: the alert is about no check, but an SLO of a third party. */
  checkId: CheckId | null;
  /** Name of the check or, where there is none, of the rule. */
  checkName: string;
  checkType: CheckType | null;
  /** Types of the rule's conditions. */
  conditions: string[];
  /** One line that says what is wrong. */
  summary: string;
  /** Host of the target; null when the configuration names no URL. */
  host: string | null;
  labels: string[];
  locationStates: LocationState[];
  /** Names of the locations that the alert is about. */
  locations: string[];
  certificate: SeenCertificate | null;
}

/**
 * Locations that fail as a whole, by location id: most of the team's checks there fail, and few of these fail
 * elsewhere, too. The counts are of checks.
 */
export type FailingLocations = ReadonlyMap<LocationId, { failing: number; total: number }>;

/** Returns the states of the locations where the member fails. */
export function failingStates({ locationStates }: MemberProfile): LocationState[] {
  return locationStates.filter(({ isFailing }) => isFailing);
}

/** True when the alert is about certificates: by a condition of its rule, or by the way it fails. */
export function isAboutCertificate(profile: MemberProfile): boolean {
  return (
    hasConditionAbout(profile, "certificate") ||
    failingStates(profile).some(({ errorCategory }) => errorCategory === "tls")
  );
}

/** True when the alert is about slots that nobody ran. */
export function isAboutMissingRuns(profile: MemberProfile): boolean {
  return hasConditionAbout(profile, "missing_runs");
}

function hasConditionAbout({ conditions }: MemberProfile, subject: "certificate" | "missing_runs"): boolean {
  return conditions.some((type) => conditionTypes.find(type)?.subject === subject);
}

/** Returns the state of a failing location as the reasons of failures read it. */
export function failureOf(state: LocationState): LocationState & Failure {
  return { ...state, category: state.errorCategory, message: state.errorMessage };
}
