/** SQL of people, their teams, sessions and sign-in links. */
import type { Identity, TeamId, TeamRole, UserId } from "@svc/contract";
import type { Knex } from "knex";

/** An account with the proof of its password. */
export interface Account {
  id: UserId;
  email: string;
  /** null: the person signs in by link or identity provider. */
  passwordHash: string | null;
}

/** Returns the account with this email address, whatever the case of its letters. */
export async function findAccountByEmail(db: Knex, email: string): Promise<Account | undefined> {
  return db("users").whereRaw("lower(email) = lower(?)", [email]).first("id", "email", "passwordHash");
}

/** Returns the account that is tied to the identity provider's name for a person. */
export async function findAccountBySubject(db: Knex, subject: string): Promise<Account | undefined> {
  return db("users").where({ oidcSubject: subject }).first("id", "email", "passwordHash");
}

/**
 * Ties an account to the identity provider's name for a person. Repeating it changes nothing.
 * @returns false when the account is tied to another name
 */
export async function tieToSubject(
  db: Knex,
  { userId, subject }: { userId: UserId; subject: string },
): Promise<boolean> {
  const tied = await db("users")
    .where({ id: userId })
    .where((query) => query.whereNull("oidcSubject").orWhere({ oidcSubject: subject }))
    .update({ oidcSubject: subject, updatedAt: db.fn.now() });
  return tied > 0;
}

/** Returns the team to which a sign-in leads that names none: the person's last one, else the first that they joined. */
export async function findFirstTeamId(db: Knex, userId: UserId): Promise<TeamId | undefined> {
  const row = await db("memberships")
    .join("users", "users.id", "memberships.userId")
    .where({ userId })
    .orderByRaw("(team_id = last_team_id) IS TRUE DESC, memberships.created_at, team_id")
    .first("teamId");
  return row?.teamId;
}

/** Returns the person's teams with their role in each, the first joined first. */
export async function listTeamsOf(
  db: Knex,
  userId: UserId,
): Promise<{ id: TeamId; name: string; role: TeamRole }[]> {
  return db("memberships")
    .join("teams", "teams.id", "memberships.teamId")
    .where({ userId })
    .orderBy([{ column: "memberships.createdAt" }, { column: "teamId" }])
    .select("teams.id", "teams.name", "memberships.role");
}

/** True when the person is in the team. */
export async function isMember(
  db: Knex,
  { userId, teamId }: { userId: UserId; teamId: TeamId },
): Promise<boolean> {
  return (await db("memberships").where({ userId, teamId }).first("teamId")) !== undefined;
}

/** Returns all teams of a person. */
export async function listTeamIdsOf(db: Knex, userId: UserId): Promise<TeamId[]> {
  return (await db("memberships").where({ userId }).select("teamId")).map(({ teamId }) => teamId);
}

/** Returns the person and the team as the API shows them; undefined when one of them is gone. */
export async function findIdentity(
  db: Knex,
  { userId, teamId }: { userId: UserId; teamId: TeamId },
): Promise<Identity | undefined> {
  const [user, team] = await Promise.all([
    db("users").where({ id: userId }).first("id", "email", "name"),
    db("teams").where({ id: teamId }).first("id", "name", "plan"),
  ]);
  return user && team && { user, team };
}

/** A session or a sign-in link. Only the hash of its token is stored. */
export interface Grant {
  tokenHash: Buffer;
  userId: UserId;
  teamId: TeamId;
  expiresAt: Date;
}

/** Adds a session, removes the person's expired ones, and leads the next sign-in to its team. */
export async function insertSignInSession(db: Knex, session: Grant & { createdAt: Date }): Promise<void> {
  const { userId, teamId: lastTeamId, createdAt } = session;
  await db("sessions").where({ userId }).where("expiresAt", "<=", createdAt).delete();
  await db("sessions").insert(session);
  await db("users").where({ id: userId }).update({ lastTeamId });
}

/** Returns the instant at which a session expires, as ISO text. */
export async function findSignInExpiry(db: Knex, tokenHash: Buffer): Promise<string | undefined> {
  return (await db("sessions").where({ tokenHash }).first("expiresAt"))?.expiresAt;
}

/** Deletes the sign-in session of a token; nothing happens where there is none. */
export async function deleteSignInSession(db: Knex, tokenHash: Buffer): Promise<void> {
  await db("sessions").where({ tokenHash }).delete();
}

/** Stores a sign-in link. */
export async function insertSignInLink(db: Knex, link: Grant): Promise<void> {
  await db("signInLinks").insert(link);
}

/** Returns whether the account of a link, neither used nor expired, has a password; undefined when there is no such link. */
export async function findSignInLink(
  db: Knex,
  { tokenHash, now }: { tokenHash: Buffer; now: Date },
): Promise<{ hasPassword: boolean } | undefined> {
  const link = await db("signInLinks")
    .join("users", "users.id", "signInLinks.userId")
    .where({ tokenHash })
    .whereNull("usedAt")
    .where("expiresAt", ">", now)
    .first("passwordHash");
  return link && { hasPassword: link.passwordHash !== null };
}

/**
 * Sets the password of an account that has none.
 * @returns false when the account has one
 */
export async function setFirstPassword(
  db: Knex,
  { userId, passwordHash }: { userId: UserId; passwordHash: string },
): Promise<boolean> {
  return (await db("users").where({ id: userId }).whereNull("passwordHash").update({ passwordHash })) > 0;
}

/** Uses a link up: of two calls at once, one gets it. Returns undefined when it is unknown, used or expired. */
export async function useSignInLink(
  db: Knex,
  { tokenHash, now }: { tokenHash: Buffer; now: Date },
): Promise<{ userId: UserId; teamId: TeamId } | undefined> {
  const [used] = await db("signInLinks")
    .where({ tokenHash })
    .whereNull("usedAt")
    .where("expiresAt", ">", now)
    .update({ usedAt: now })
    .returning(["userId", "teamId"]);
  return used;
}
