import { listed } from "@svc/contract";

/** Returns the names of locations for a sentence: "US East, EU West, Tokyo and 3 more". */
export function locationNames(locations: readonly { name: string }[]): string {
  return listed(locations.map(({ name }) => name));
}
