/** SQL of people, their teams, sessions and sign-in links. */
import type { Identity, TeamId, UserId } from "@svc/contract";
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

/** Returns the first team that the person joined: the one they are led to when they name none. */
export async function findFirstTeamId(db: Knex, userId: UserId): Promise<TeamId | undefined> {
  const row = await db("memberships")
    .where({ userId })
    .orderBy([{ column: "createdAt" }, { column: "teamId" }])
    .first("teamId");
  return row?.teamId;
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

/** Adds a session and removes the person's expired ones. */
export async function insertSession(db: Knex, session: Grant & { createdAt: Date }): Promise<void> {
  const { userId, createdAt } = session;
  await db("sessions").where({ userId }).where("expiresAt", "<=", createdAt).delete();
  await db("sessions").insert(session);
}

/** Returns the instant at which a session expires, as ISO text. */
export async function findSessionExpiry(db: Knex, tokenHash: Buffer): Promise<string | undefined> {
  return (await db("sessions").where({ tokenHash }).first("expiresAt"))?.expiresAt;
}

export async function deleteSession(db: Knex, tokenHash: Buffer): Promise<void> {
  await db("sessions").where({ tokenHash }).delete();
}

export async function insertSignInLink(db: Knex, link: Grant): Promise<void> {
  await db("signInLinks").insert(link);
}

/** True when there is such a link, neither used nor expired. */
export async function hasSignInLink(
  db: Knex,
  { tokenHash, now }: { tokenHash: Buffer; now: Date },
): Promise<boolean> {
  const link = await db("signInLinks")
    .where({ tokenHash })
    .whereNull("usedAt")
    .where("expiresAt", ">", now)
    .first("tokenHash");
  return link !== undefined;
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
