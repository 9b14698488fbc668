/** Names whom a runner key's requests are counted for. */
import type { TeamId } from "@svc/contract";
import type { RunnerKeyRow } from "../accounts/identity/credential-store.ts";
import type { FleetState } from "../fleet/fleet-state.ts";

/** A team with private runners; a location, while this replica doesn't know whose it is. */
export type Sender = TeamId | `location ${number}`;

/** Returns the sender that a key belongs to; undefined: the hosted fleet, which is the operator's and serves all teams. */
export function senderOf(state: Pick<FleetState, "location">, key: RunnerKeyRow): Sender | undefined {
  if (key.locationKey === null) return undefined;
  return state.location(key.locationKey)?.teamId ?? `location ${key.locationKey}`;
}
