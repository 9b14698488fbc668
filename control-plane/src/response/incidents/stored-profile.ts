/**
 * The stored form of member profiles. Rows of earlier versions and of other replicas have it, so its names stay:
 * `places` are the states of the locations. Pure.
 */
import type { MemberProfile } from "./member-profile.ts";

/** A profile as the column `incident_members.facts` holds it. */
export type StoredProfile = Omit<MemberProfile, "locationStates"> & {
  places: MemberProfile["locationStates"];
};

/** Returns a profile as the database stores it. */
export function profileToStored({ locationStates, ...profile }: MemberProfile): StoredProfile {
  return { ...profile, places: locationStates };
}

/** Returns a stored profile. */
export function profileFromStored({ places, ...profile }: StoredProfile): MemberProfile {
  return { ...profile, locationStates: places };
}
