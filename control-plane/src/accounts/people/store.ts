/** SQL of a team's members and invitations, and of an account's sessions and password. */
import type { Invitation, InvitationId, Member, SessionId, TeamId, TeamRole, UserId } from "@svc/contract";
import type { Knex } from "knex";

/** A person in a team. */
export interface MembershipKey {
  teamId: TeamId;
  userId: UserId;
}

/** Returns the team's people, the first joined first. */
export async function listMemberRows(db: Knex, teamId: TeamId): Promise<Member[]> {
  return db("memberships")
    .join("users", "users.id", "memberships.userId")
    .where({ teamId })
    .orderBy([{ column: "memberships.createdAt" }, { column: "users.id" }])
    .select(
      "users.id as userId",
      "users.email",
      "users.name",
      "memberships.role",
      "memberships.createdAt as joinedAt",
      "memberships.lastSeenAt",
    );
}

/** Locks the team's memberships until the transaction ends, and returns the role of each person. */
export async function lockRoles(trx: Knex, teamId: TeamId): Promise<Map<UserId, TeamRole>> {
  const rows = await trx("memberships")
    .where({ teamId })
    .orderBy("userId")
    .forUpdate()
    .select("userId", "role");
  return new Map(rows.map(({ userId, role }) => [userId, role]));
}

/** Gives a member another role. Changes nothing when there is no such member. */
export async function updateRole(trx: Knex, key: MembershipKey, role: TeamRole): Promise<void> {
  await trx("memberships").where(key).update({ role });
}

/** Removes a person from a team, with their sessions and sign-in links there. */
export async function deleteMembership(trx: Knex, key: MembershipKey): Promise<void> {
  await trx("memberships").where(key).delete();
  await trx("sessions").where(key).delete();
  await trx("signInLinks").where(key).delete();
  await trx("users").where({ id: key.userId, lastTeamId: key.teamId }).update({ lastTeamId: null });
}

/**
 * Adds a person to a team. A person who is in it keeps their role.
 * @returns false when the person is in the team already
 */
export async function insertMembership(
  trx: Knex,
  membership: MembershipKey & { role: TeamRole; createdAt: Date },
): Promise<boolean> {
  const inserted = await trx("memberships")
    .insert(membership)
    .onConflict(["teamId", "userId"])
    .ignore()
    .returning("userId");
  return inserted.length > 0;
}

/** True when a person with this email address is in the team. */
export async function hasMemberWithEmail(db: Knex, teamId: TeamId, email: string): Promise<boolean> {
  const row = await db("memberships")
    .join("users", "users.id", "memberships.userId")
    .where({ teamId })
    .whereRaw("lower(users.email) = lower(?)", [email])
    .first("users.id");
  return row !== undefined;
}

const INVITATION_COLUMNS = ["id", "email", "role", "invitedBy", "createdAt", "expiresAt"] as const;

/** An invitation as it is stored for the first time. */
export interface NewInvitation {
  id: InvitationId;
  teamId: TeamId;
  email: string;
  role: TeamRole;
  tokenHash: Buffer;
  invitedBy: string | null;
  createdAt: Date;
  expiresAt: Date;
}

/** Stores an invitation in place of one of the same address, and removes the team's expired ones. */
export async function insertInvitation(trx: Knex, row: NewInvitation): Promise<Invitation> {
  await trx("invitations").where({ teamId: row.teamId }).where("expiresAt", "<=", row.createdAt).delete();
  const [inserted] = await trx("invitations")
    .insert(row)
    .onConflict(trx.raw("(team_id, lower(email))"))
    .merge()
    .returning([...INVITATION_COLUMNS]);
  return inserted;
}

/** Returns the team's invitations that can still be accepted, the newest first. */
export async function listInvitationRows(
  db: Knex,
  { teamId, now }: { teamId: TeamId; now: Date },
): Promise<Invitation[]> {
  return db("invitations")
    .where({ teamId })
    .where("expiresAt", ">", now)
    .orderBy([
      { column: "createdAt", order: "desc" },
      { column: "id", order: "desc" },
    ])
    .select(INVITATION_COLUMNS);
}

/** Deletes an invitation and returns its email address; undefined when the team has no such invitation. */
export async function deleteInvitationRow(
  db: Knex,
  { teamId, id }: { teamId: TeamId; id: InvitationId },
): Promise<string | undefined> {
  const [deleted] = await db("invitations").where({ teamId, id }).delete().returning("email");
  return deleted?.email;
}

/** An invitation as its holder sees it. */
export interface OpenInvitation {
  teamId: TeamId;
  teamName: string;
  email: string;
  role: TeamRole;
}

/** Returns the invitation with this token that has not expired, or undefined. */
export async function findOpenInvitation(
  db: Knex,
  { tokenHash, now }: { tokenHash: Buffer; now: Date },
): Promise<OpenInvitation | undefined> {
  return db("invitations")
    .join("teams", "teams.id", "invitations.teamId")
    .where({ tokenHash })
    .where("expiresAt", ">", now)
    .first("invitations.teamId", "teams.name as teamName", "invitations.email", "invitations.role");
}

/** Removes an invitation: of two calls at once, one gets true. */
export async function claimInvitation(trx: Knex, tokenHash: Buffer): Promise<boolean> {
  return (await trx("invitations").where({ tokenHash }).delete()) > 0;
}

/** A session of an account. */
export interface SessionRow {
  id: SessionId;
  teamId: TeamId;
  address: string | null;
  userAgent: string | null;
  createdAt: string;
  lastSeenAt: string | null;
  expiresAt: string;
}

/** Returns the account's sessions that have not expired, the newest first. */
export async function listSignInSessionRows(
  db: Knex,
  { userId, now }: { userId: UserId; now: Date },
): Promise<SessionRow[]> {
  return db("sessions")
    .where({ userId })
    .where("expiresAt", ">", now)
    .orderBy([
      { column: "createdAt", order: "desc" },
      { column: "id", order: "desc" },
    ])
    .select("id", "teamId", "address", "userAgent", "createdAt", "lastSeenAt", "expiresAt");
}

/** Deletes a session and returns its team; undefined when the account has no such session. */
export async function deleteSignInSessionRow(
  db: Knex,
  { userId, id }: { userId: UserId; id: SessionId },
): Promise<TeamId | undefined> {
  const [deleted] = await db("sessions").where({ userId, id }).delete().returning("teamId");
  return deleted?.teamId;
}

/**
 * Stores the account's password hash and ends its sessions and sign-in links.
 * @param input.exceptSession session that goes on
 */
export async function replacePassword(
  trx: Knex,
  input: {
    userId: UserId;
    passwordHash: string | null;
    updatedAt: Date;
    exceptSession?: SessionId | undefined;
  },
): Promise<void> {
  const { userId, passwordHash, updatedAt, exceptSession = "" } = input;
  await trx("users").where({ id: userId }).update({ passwordHash, updatedAt });
  await trx("sessions").where({ userId }).whereNot({ id: exceptSession }).delete();
  await trx("signInLinks").where({ userId }).delete();
}

/** Returns the account's password hash; null when it has none. */
export async function findPasswordHash(db: Knex, userId: UserId): Promise<string | null> {
  return (await db("users").where({ id: userId }).first("passwordHash"))?.passwordHash ?? null;
}

/**
 * Leads a session, and the account's next sign-in, to another team.
 * @returns false when the person is not in that team
 */
export async function moveSession(
  trx: Knex,
  { sessionId, userId, teamId }: MembershipKey & { sessionId: SessionId },
): Promise<boolean> {
  const membership = await trx("memberships").where({ userId, teamId }).forShare().first("teamId");
  if (!membership) return false;
  await trx("sessions").where({ id: sessionId, userId }).update({ teamId });
  await trx("users").where({ id: userId }).update({ lastTeamId: teamId });
  return true;
}
