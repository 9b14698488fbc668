/**
 * What alerts can share. Host, domain, certificate and label each suffice to belong together. A location does where the
 * failure is one of that location: it fails there and has succeeded elsewhere since, or the location fails as a whole.
 * Else the location says nothing (a check of one location always fails there), and only together with the same error
 * category it suffices. The error category alone never does: unrelated targets time out every day. Pure.
 */
import { getDomain } from "tldts";
import { type FailingLocations, failingPlaces, isAboutCertificate, type MemberFacts } from "./facts.ts";

export const DIMENSION_KINDS = [
  "host",
  "domain",
  "certificate",
  "label",
  "location",
  "location+error_category",
  "error_category",
] as const;
export type DimensionKind = (typeof DIMENSION_KINDS)[number];

/** `<kind>:<value>`. */
export type Dimension = string;

/** Whether sharing it is enough to belong together. */
export function suffices(dimension: Dimension): boolean {
  return kindOf(dimension) !== "error_category";
}

export function kindOf(dimension: Dimension): DimensionKind {
  return dimension.slice(0, dimension.indexOf(":")) as DimensionKind;
}

export function dimensionValue(dimension: Dimension): string {
  return dimension.slice(dimension.indexOf(":") + 1);
}

/** Host of a target without its port; null: there is none. */
export function hostOf(targetUrl: string | null): string | null {
  if (targetUrl === null || !URL.canParse(targetUrl)) return null;
  return new URL(targetUrl).hostname.replace(/\.$/, "") || null;
}

/** The part of a host that its owner registered (`example.co.uk`); null: an address, or a name without one. */
export function domainOf(host: string): string | null {
  return getDomain(host, { allowPrivateDomains: true });
}

/** In a fixed order, each once. */
export function dimensionsOf(facts: MemberFacts, failingLocations: FailingLocations): Dimension[] {
  const dimensions: Dimension[] = [];
  if (facts.host !== null) {
    dimensions.push(`host:${facts.host}`);
    const domain = domainOf(facts.host);
    if (domain !== null) dimensions.push(`domain:${domain}`);
  }
  if (facts.certificate && isAboutCertificate(facts))
    dimensions.push(`certificate:${facts.certificate.fingerprintSha256}`);
  for (const label of facts.labels) dimensions.push(`label:${label}`);
  dimensions.push(...placeDimensions(facts, failingLocations));
  return [...new Set(dimensions)];
}

function placeDimensions(facts: MemberFacts, failingLocations: FailingLocations): Dimension[] {
  // Slots that nobody ran say nothing of the target: they are the location's in any case.
  if (facts.conditions.includes("missed_runs"))
    return facts.places
      .filter(({ locationName }) => facts.locations.includes(locationName))
      .map(({ locationId }) => `location:${locationId}`);
  const failing = failingPlaces(facts);
  return failing.flatMap(({ locationId, errorCategory }) => [
    ...(isOfLocation(facts, locationId, failingLocations) ? [`location:${locationId}`] : []),
    ...(errorCategory === null
      ? []
      : [`location+error_category:${locationId}+${errorCategory}`, `error_category:${errorCategory}`]),
  ]);
}

/** The check fails at this location only, and another one has shown since that the target is fine; or the location is down. */
function isOfLocation(facts: MemberFacts, locationId: string, failingLocations: FailingLocations): boolean {
  const failing = failingPlaces(facts);
  const here = failing.find((place) => place.locationId === locationId);
  if (!here || failing.length > 1) return false;
  if (failingLocations.has(locationId)) return true;
  const sinceMs = here.failingSinceMs ?? here.slotMs;
  return facts.places.some(({ isFailing, slotMs }) => !isFailing && slotMs >= sinceMs);
}
