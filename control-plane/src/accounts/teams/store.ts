/** SQL of teams and their people. */
import type { TeamId, UserId } from "@svc/contract";
import type { Knex } from "knex";

/** A team as the operator's list shows it. */
export interface TeamOverview {
  id: TeamId;
  name: string;
  plan: string;
  /** Number of the team's checks. */
  checks: number;
  /** Email addresses, in alphabetical order. */
  owners: string[];
  createdAt: string;
}

/** Starts a query of the teams that were not deleted: a deleted one stays as a row until its records are gone. */
function existingTeams(db: Knex): Knex.QueryBuilder {
  return db("teams").whereNotExists(db("teamDeletions").whereRaw("team_deletions.team_id = teams.id"));
}

/** True when the service has a team. */
export async function hasAnyTeam(db: Knex): Promise<boolean> {
  return (await existingTeams(db).first("id")) !== undefined;
}

/** True when there is a team with this id. */
export async function hasTeam(db: Knex, teamId: TeamId): Promise<boolean> {
  return (await existingTeams(db).where({ id: teamId }).first("id")) !== undefined;
}

/** True when there are two teams or more. */
export async function hasSecondTeam(db: Knex): Promise<boolean> {
  return (await existingTeams(db).select("id").limit(2)).length === 2;
}

/** Stores a new team. */
export async function insertTeam(
  trx: Knex,
  team: { id: TeamId; name: string; createdAt: Date },
): Promise<void> {
  await trx("teams").insert(team);
}

/** Returns the id of the account with this email address, made when there is none. Two calls at once get one account. */
export async function ensureUser(
  trx: Knex,
  user: { id: UserId; email: string; passwordHash: string | null; createdAt: Date },
): Promise<UserId> {
  const inserted = await trx("users")
    .insert(user)
    .onConflict(trx.raw("(lower(email))"))
    .ignore()
    .returning("id");
  if (inserted.length > 0) return user.id;
  const existing = await trx("users").whereRaw("lower(email) = lower(?)", [user.email]).first("id");
  return existing.id;
}

/** Makes a person an owner of a team. */
export async function insertOwner(
  trx: Knex,
  membership: { teamId: TeamId; userId: UserId; createdAt: Date },
): Promise<void> {
  await trx("memberships").insert({ ...membership, role: "owner" });
}

/** Returns all teams, the oldest first. */
export async function selectTeamOverviews(db: Knex): Promise<TeamOverview[]> {
  return existingTeams(db)
    .select("id", "name", "plan", "createdAt")
    .select({
      checks: db("checks").count().whereRaw("checks.team_id = teams.id"),
      owners: db("memberships")
        .join("users", "users.id", "memberships.userId")
        .whereRaw("memberships.team_id = teams.id")
        .where({ role: "owner" })
        .select(db.raw("coalesce(array_agg(users.email ORDER BY users.email), '{}')")),
    })
    .orderBy([{ column: "createdAt" }, { column: "id" }]);
}

/**
 * Puts a team on a plan.
 * @returns false when there is no such team
 */
export async function updatePlan(
  db: Knex,
  teamId: TeamId,
  patch: { plan: string; updatedAt: Date },
): Promise<boolean> {
  return (await existingTeams(db).where({ id: teamId }).update(patch)) > 0;
}

/** Returns the names of all plans, in alphabetical order. */
export async function selectPlanNames(db: Knex): Promise<string[]> {
  return (await db("plans").orderBy("name").select("name")).map(({ name }) => name);
}
