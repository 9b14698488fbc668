/** Roles: how much the people and the keys of a team may do in it. */

/** Roles of a team's people, the one that may do the most first. */
export const TEAM_ROLES = ["owner", "member", "viewer"] as const;
/** Role of a person in a team. */
export type TeamRole = (typeof TEAM_ROLES)[number];

/** Roles of API keys. No key manages people, so none is an owner. */
export const KEY_ROLES = ["member", "viewer"] as const;
/** Role of an API key. */
export type KeyRole = (typeof KEY_ROLES)[number];

/** True when a role may do everything that the other one may. */
export function roleIncludes(role: TeamRole, other: TeamRole): boolean {
  return TEAM_ROLES.indexOf(role) <= TEAM_ROLES.indexOf(other);
}
