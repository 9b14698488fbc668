/** Groups what the locations of a check see of one host's certificate, and says it in words. Pure. */
import type { Certificate } from "../api/queries/certificates.ts";
import type { StateWord } from "../status/words.ts";

/** What one location saw last. */
export type Sighting = Certificate["sightings"][number];

/** One certificate over one kind of connection, with the locations that see it. */
export interface Kind {
  newest: Sighting;
  locationIds: string[];
}

/** Days before its end from which a certificate is marked. */
const SOON_DAYS = 30;
const VERY_SOON_DAYS = 7;

/** Returns the different sightings, those of most locations first. */
export function kindsOf(sightings: readonly Sighting[]): Kind[] {
  const kinds = new Map<string, Kind>();
  for (const sighting of sightings) {
    const key = `${sighting.fingerprintSha256} ${sighting.protocol} ${sighting.trustError ?? ""}`;
    const kind = kinds.get(key) ?? { newest: sighting, locationIds: [] };
    kind.locationIds.push(sighting.locationId);
    if (sighting.changedAt > kind.newest.changedAt) kind.newest = sighting;
    kinds.set(key, kind);
  }
  return [...kinds.values()].sort((a, b) => b.locationIds.length - a.locationIds.length);
}

/** Returns how long a certificate lasts, in words. @param daysLeft whole days; negative: it ended */
export function expiryState(daysLeft: number): StateWord {
  const days = `${Math.abs(daysLeft)} ${Math.abs(daysLeft) === 1 ? "day" : "days"}`;
  if (daysLeft < 0) return { word: `Ended ${days} ago`, mark: "failing" };
  if (daysLeft < VERY_SOON_DAYS)
    return { word: daysLeft === 0 ? "Ends today" : `${days} left`, mark: "failing" };
  return { word: `${days} left`, mark: daysLeft < SOON_DAYS ? "slow" : "good" };
}

/** Returns whether the chain of a certificate is trusted, in words. */
export function trustOf({
  isTrusted,
  isSelfSigned,
}: Pick<Sighting, "isTrusted" | "isSelfSigned">): StateWord {
  if (isTrusted) return { word: "Trusted", mark: "good" };
  return { word: isSelfSigned ? "Self-signed" : "Not trusted", mark: "failing" };
}
