/**
 * Dimensions: what alerts can share. Host, domain, certificate and label each suffice to join two alerts. A location
 * does only when the failure is the location's own: the check fails there and has succeeded elsewhere since, or the
 * location fails as a whole. Otherwise a location says nothing, since a check of one location always fails there, and
 * suffices only together with an equal error category. The error category alone never suffices: unrelated targets time
 * out every day. Pure.
 */
import type { LocationId } from "@svc/contract";
import { getDomain } from "tldts";
import {
  type FailingLocations,
  failingStates,
  isAboutCertificate,
  isAboutMissingRuns,
  type MemberProfile,
} from "./member-profile.ts";

type DimensionKind =
  | "host"
  | "domain"
  | "certificate"
  | "label"
  | "location"
  | "location+error_category"
  | "error_category";

/** A dimension as text: `<kind>:<value>`. */
export type Dimension = string;

/** True when sharing the dimension is enough for two alerts to belong together. */
export function suffices(dimension: Dimension): boolean {
  return kindOf(dimension) !== "error_category";
}

/** Returns the kind of a dimension. */
export function kindOf(dimension: Dimension): DimensionKind {
  return dimension.slice(0, dimension.indexOf(":")) as DimensionKind;
}

/** Returns the value of a dimension. */
export function dimensionValue(dimension: Dimension): string {
  return dimension.slice(dimension.indexOf(":") + 1);
}

/**
 * Returns the registered domain of a host, such as `example.co.uk`; null for an address, or a name without one.
 */
export function domainOf(host: string): string | null {
  return getDomain(host, { allowPrivateDomains: true });
}

/** Returns the dimensions of a member, each once, in a fixed order. */
export function dimensionsOf(profile: MemberProfile, failingLocations: FailingLocations): Dimension[] {
  const { host, certificate, labels } = profile;
  const dimensions: Dimension[] = [];
  if (host !== null) {
    dimensions.push(`host:${host}`);
    const domain = domainOf(host);
    if (domain !== null) dimensions.push(`domain:${domain}`);
  }
  if (certificate && isAboutCertificate(profile))
    dimensions.push(`certificate:${certificate.fingerprintSha256}`);
  for (const label of labels) dimensions.push(`label:${label}`);
  dimensions.push(...locationDimensions(profile, failingLocations));
  return [...new Set(dimensions)];
}

function locationDimensions(profile: MemberProfile, failingLocations: FailingLocations): Dimension[] {
  // Slots that nobody ran say nothing about the target: they are the location's in any case.
  if (isAboutMissingRuns(profile))
    return profile.locationStates
      .filter(({ locationName }) => profile.locations.includes(locationName))
      .map(({ locationId }) => `location:${locationId}`);
  return failingStates(profile).flatMap(({ locationId, errorCategory }) => [
    ...(isFailureOfLocation(profile, locationId, failingLocations) ? [`location:${locationId}`] : []),
    ...(errorCategory === null
      ? []
      : [`location+error_category:${locationId}+${errorCategory}`, `error_category:${errorCategory}`]),
  ]);
}

/**
 * True when the check fails at this location only, and either another location has shown since that the target is fine, or
 * the location fails as a whole.
 */
function isFailureOfLocation(
  profile: MemberProfile,
  locationId: LocationId,
  failingLocations: FailingLocations,
): boolean {
  const failing = failingStates(profile);
  const here = failing.find((state) => state.locationId === locationId);
  if (!here || failing.length > 1) return false;
  if (failingLocations.has(locationId)) return true;
  const sinceMs = here.failingSinceMs ?? here.slotMs;
  return profile.locationStates.some(({ isFailing, slotMs }) => !isFailing && slotMs >= sinceMs);
}
