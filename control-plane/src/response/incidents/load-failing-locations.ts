/** Finds the locations that fail as a whole, among those where alerts fail. */
import type { LocationId } from "@svc/contract";
import type { Knex } from "knex";
import { findFailingLocations } from "./failing-locations.ts";
import { type FailingLocations, failingStates, type MemberProfile } from "./member-profile.ts";
import { sampleLocations } from "./profile-store.ts";
import type { TeamBatch } from "./team-batch.ts";

/** Returns the locations that fail as a whole. Only members that fail at a single location are a reason to suspect one. */
export async function loadFailingLocations(
  trx: Knex,
  batch: TeamBatch,
  members: Iterable<MemberProfile>,
): Promise<FailingLocations> {
  const ids = new Set<LocationId>();
  for (const member of members) {
    const [only, ...others] = failingStates(member);
    if (only && others.length === 0) ids.add(only.locationId);
  }
  if (ids.size === 0) return new Map();
  const locations: { key: number; id: LocationId }[] = await trx("locations")
    .whereIn("id", [...ids])
    .select("key", "id");
  const sampled = await sampleLocations(
    trx,
    batch,
    locations.map(({ key }) => key),
  );
  const found = findFailingLocations(sampled);
  return new Map(
    locations.flatMap(({ key, id }) => {
      const counts = found.get(key);
      return counts ? [[id, counts] as const] : [];
    }),
  );
}
