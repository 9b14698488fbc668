/** Teams and their people in the database. */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";

export interface TeamOverview {
  id: string;
  name: string;
  plan: string;
  checks: number;
  owners: string[];
  createdAt: string;
}

export async function hasAnyTeam(knex: Knex): Promise<boolean> {
  return (await knex("teams").first("id")) !== undefined;
}

export async function insertTeam(
  knex: Knex,
  team: { id: string; name: string; createdAt: Date },
): Promise<void> {
  await knex("teams").insert(team);
}

/** The person with this email address, made when there is none. Of two at once, both get the same one. */
export async function ensureUser(
  knex: Knex,
  user: { id: string; email: string; passwordHash: string | null; createdAt: Date },
): Promise<{ userId: string; isNew: boolean }> {
  const inserted = await knex("users")
    .insert(user)
    .onConflict(knex.raw("(lower(email))"))
    .ignore()
    .returning("id");
  if (inserted.length > 0) return { userId: user.id, isNew: true };
  const existing = await knex("users").whereRaw("lower(email) = lower(?)", [user.email]).first("id");
  return { userId: existing.id, isNew: false };
}

export async function insertOwner(
  knex: Knex,
  membership: { teamId: TeamId; userId: string; createdAt: Date },
): Promise<void> {
  await knex("memberships").insert({ ...membership, role: "owner" });
}

/** Oldest first. */
export async function selectTeamOverviews(knex: Knex): Promise<TeamOverview[]> {
  return knex("teams")
    .select("id", "name", "plan", "createdAt")
    .select({
      checks: knex("checks").count().whereRaw("checks.team_id = teams.id"),
      owners: knex("memberships")
        .join("users", "users.id", "memberships.userId")
        .whereRaw("memberships.team_id = teams.id")
        .where({ role: "owner" })
        .select(knex.raw("coalesce(array_agg(users.email ORDER BY users.email), '{}')")),
    })
    .orderBy([{ column: "createdAt" }, { column: "id" }]);
}

/** @returns false when there is no such team */
export async function updatePlan(knex: Knex, teamId: TeamId, plan: string, now: Date): Promise<boolean> {
  return (await knex("teams").where({ id: teamId }).update({ plan, updatedAt: now })) > 0;
}

export async function selectPlanNames(knex: Knex): Promise<string[]> {
  return (await knex("plans").orderBy("name").select("name")).map(({ name }) => name);
}
