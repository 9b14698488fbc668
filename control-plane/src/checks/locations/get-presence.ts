import { type LocationId, PRESENCE_RANGES, PRESENCES_MAX, type Presence } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { getPrivateLocation } from "./get-location.ts";
import { listPresenceRows } from "./store.ts";

const iso = (ms: number) => new Date(ms).toISOString();

/**
 * Returns the times of the range at which runners were connected to a private location, cut to the range.
 * @throws DomainError `not_found`, `forbidden` for a hosted location
 */
export async function getPresence(
  { services, teamId }: TeamContext,
  { id, range }: { id: LocationId; range: keyof typeof PRESENCE_RANGES },
): Promise<Presence> {
  const { knex, clock } = services;
  const location = await getPrivateLocation(knex, teamId, id);
  const toMs = clock.nowMs();
  const fromMs = toMs - PRESENCE_RANGES[range];
  const rows = await listPresenceRows(knex, location.key, { fromMs, limit: PRESENCES_MAX + 1 });
  const presences = rows.slice(0, PRESENCES_MAX).toReversed();
  return {
    locationId: location.id,
    from: iso(fromMs),
    to: iso(toMs),
    presences: presences.map(({ runnerId, hostname, ...at }) => ({
      runnerId,
      hostname,
      from: iso(Math.max(at.fromMs, fromMs)),
      until: iso(at.untilMs),
    })),
    isComplete: rows.length <= PRESENCES_MAX,
  };
}
