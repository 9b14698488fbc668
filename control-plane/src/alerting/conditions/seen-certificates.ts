/** Steps that the conditions about certificates share. */
import type { CertificateObservation } from "../inputs/certificates.ts";
import type { ConditionInput, LocationInput } from "../inputs/condition-input.ts";
import { locationNames } from "./location-names.ts";

/** A location with the certificate that it sees at the instant of the input. */
export interface LocationSeeing extends CertificateObservation {
  location: LocationInput;
}

/** Returns the locations that have seen a certificate, each with the newest one. */
export function seenCertificates({ locations, certificates, atMs }: ConditionInput): LocationSeeing[] {
  return locations.flatMap((location) => {
    const [newest] = certificates(location.locationKey, atMs);
    return newest ? [{ location, ...newest }] : [];
  });
}

/** Returns the results that first reported these certificates. */
export function reportingResults(seen: readonly LocationSeeing[]) {
  return seen.map(({ location, firstSlotMs }) => ({
    locationKey: location.locationKey,
    slotMs: firstSlotMs,
  }));
}

/** Returns the names of the locations for a sentence. */
export function namesOf(seen: readonly LocationSeeing[]): string {
  return locationNames(seen.map(({ location }) => location));
}
