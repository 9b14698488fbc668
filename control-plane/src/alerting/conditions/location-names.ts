/** Most locations that a sentence names. */
const NAMED_MAX = 3;

/** Returns the names of locations for a sentence: "US East and EU West", "US East, EU West, Tokyo and 3 more". */
export function locationNames(locations: readonly { name: string }[]): string {
  const named = locations.slice(0, NAMED_MAX).map(({ name }) => name);
  const more = locations.length - named.length;
  return more > 0 ? `${named.join(", ")} and ${more} more` : named.join(" and ");
}
