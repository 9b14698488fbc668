/** SQL of the deletion of a team, as far as it happens at once. */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";

/** Returns the team's name and locks its row; undefined when there is no such team or it was deleted. */
export async function lockTeamName(trx: Knex, teamId: TeamId): Promise<string | undefined> {
  const team = await trx("teams").where({ id: teamId }).forNoKeyUpdate().first("name");
  const deletion = await trx("teamDeletions").where({ teamId }).first("teamId");
  return deletion ? undefined : team?.name;
}

/** Records that the team was deleted: fleets leave its checks out from the commit on. */
export async function insertTeamDeletion(trx: Knex, teamId: TeamId): Promise<void> {
  await trx("teamDeletions").insert({ teamId });
}

/** Deletes the team's sessions, links, invitations, API keys, display links and logins that wait for consent. */
export async function deleteCredentials(trx: Knex, teamId: TeamId): Promise<void> {
  for (const table of ["sessions", "signInLinks", "invitations", "deviceCodes", "apiKeys", "displayLinks"])
    await trx(table).where({ teamId }).delete();
}

/** Ends the memberships of the team, and deletes the accounts that are in no team any more. */
export async function deletePeople(trx: Knex, teamId: TeamId): Promise<void> {
  const members = await trx("memberships").where({ teamId }).delete().returning("userId");
  const userIds = members.map(({ userId }) => userId);
  await trx("users")
    .whereIn("id", userIds)
    .whereNotExists(trx("memberships").whereRaw("memberships.user_id = users.id"))
    .delete();
}
