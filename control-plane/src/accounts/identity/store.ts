/** People, their teams, sessions and sign-in links in the database. */
import type { Identity, TeamId } from "@svc/contract";
import type { Knex } from "knex";

/** A person with what proves who they are. */
export interface Account {
  id: string;
  email: string;
  passwordHash: string | null;
}

/** By email, whatever its letters' case. */
export async function findAccountByEmail(knex: Knex, email: string): Promise<Account | undefined> {
  return knex("users").whereRaw("lower(email) = lower(?)", [email]).first("id", "email", "passwordHash");
}

/** By the identity provider's name for the person. */
export async function findAccountBySubject(knex: Knex, subject: string): Promise<Account | undefined> {
  return knex("users").where({ oidcSubject: subject }).first("id", "email", "passwordHash");
}

/** Ties an account that is tied to nobody yet. @returns false when it is tied to someone */
export async function tieToSubject(knex: Knex, userId: string, subject: string): Promise<boolean> {
  const tied = await knex("users")
    .where({ id: userId })
    .where((query) => query.whereNull("oidcSubject").orWhere({ oidcSubject: subject }))
    .update({ oidcSubject: subject, updatedAt: knex.fn.now() });
  return tied > 0;
}

/** The team that a person is led to when they don't say which: the first one they joined. */
export async function findFirstTeamId(knex: Knex, userId: string): Promise<TeamId | undefined> {
  const row = await knex("memberships")
    .where({ userId })
    .orderBy([{ column: "createdAt" }, { column: "teamId" }])
    .first("teamId");
  return row?.teamId;
}

/** The person and the team, as the API shows them. */
export async function selectIdentity(
  knex: Knex,
  { userId, teamId }: { userId: string; teamId: TeamId },
): Promise<Identity | undefined> {
  const [user, team] = await Promise.all([
    knex("users").where({ id: userId }).first("id", "email", "name"),
    knex("teams").where({ id: teamId }).first("id", "name", "plan"),
  ]);
  return user && team && { user, team };
}

/** A session or a sign-in link: whose, until when. Only the hash of its token is kept. */
export interface Grant {
  tokenHash: Buffer;
  userId: string;
  teamId: TeamId;
  expiresAt: Date;
}

/** Adds a session and removes the person's expired ones. */
export async function insertSession(knex: Knex, grant: Grant, now: Date): Promise<void> {
  await knex("sessions").where({ userId: grant.userId }).where("expiresAt", "<=", now).delete();
  await knex("sessions").insert({ ...grant, createdAt: now });
}

export async function selectSessionExpiry(knex: Knex, tokenHash: Buffer): Promise<string | undefined> {
  return (await knex("sessions").where({ tokenHash }).first("expiresAt"))?.expiresAt;
}

export async function deleteSession(knex: Knex, tokenHash: Buffer): Promise<void> {
  await knex("sessions").where({ tokenHash }).delete();
}

export async function insertSignInLink(knex: Knex, grant: Grant): Promise<void> {
  await knex("sign_in_links").insert(grant);
}

/** Uses a link up: of two at once, one gets it. Undefined when it is unknown, used or expired. */
export async function useSignInLink(
  knex: Knex,
  tokenHash: Buffer,
  now: Date,
): Promise<{ userId: string; teamId: TeamId } | undefined> {
  const [used] = await knex("sign_in_links")
    .where({ tokenHash })
    .whereNull("usedAt")
    .where("expiresAt", ">", now)
    .update({ usedAt: now })
    .returning(["userId", "teamId"]);
  return used;
}
