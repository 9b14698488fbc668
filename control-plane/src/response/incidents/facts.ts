/** What is known about a member of an incident: read when its alert begins, kept with it, and all that rules may look at. */
import type { CheckType } from "@svc/contract";

/** The newest result of one of the check's locations. */
export interface PlaceFacts {
  locationId: string;
  locationName: string;
  isFailing: boolean;
  /** Unix ms. */
  slotMs: number;
  /** First slot of the failures that last, Unix ms; of the failing only. */
  failingSinceMs: number | null;
  errorCategory: string | null;
  errorMessage: string | null;
  httpStatusCode: number | null;
}

/** The certificate that the check saw last. */
export interface CertificateFacts {
  fingerprintSha256: string;
  validTo: string;
  isTrusted: boolean;
  trustError: string | null;
  /** When it was seen first, Unix ms, if another one was seen before it. */
  changedAtMs: number | null;
}

export interface MemberFacts {
  checkId: string;
  checkName: string;
  checkType: CheckType;
  /** The rule's conditions, by type. */
  conditions: string[];
  /** One line: what is wrong. */
  summary: string;
  /** Of the target; null: it names no URL. */
  host: string | null;
  labels: string[];
  places: PlaceFacts[];
  /** Names of the locations that the alert is about. */
  locations: string[];
  certificate: CertificateFacts | null;
}

/** Locations that fail as a whole: most of their checks fail there, and few of these fail elsewhere. By location id. */
export type FailingLocations = ReadonlyMap<string, { failing: number; total: number }>;

export function failingPlaces({ places }: MemberFacts): PlaceFacts[] {
  return places.filter(({ isFailing }) => isFailing);
}

/** Whether it is about certificates: by its rule or by how it fails. */
export function isAboutCertificate(facts: MemberFacts): boolean {
  return (
    facts.conditions.some((type) => type.startsWith("ssl_")) ||
    failingPlaces(facts).some(({ errorCategory }) => errorCategory === "tls")
  );
}
