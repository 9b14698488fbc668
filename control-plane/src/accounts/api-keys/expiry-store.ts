/** SQL of API keys that end soon. */
import type { ApiKeyId, TeamId, UserId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";

/** A key whose end is near. */
export interface ExpiringKey {
  id: ApiKeyId;
  teamId: TeamId;
  teamName: string;
  name: string;
  /** The key's first characters. */
  keyPrefix: string;
  /** ISO 8601. */
  expiresAt: string;
  createdBy: UserId | null;
}

/** Most people who are warned of one key. */
const PEOPLE_MAX = 20;

/**
 * Marks keys as warned of and returns them: of two calls at once, one gets a key.
 * @param input.withinMs keys end at most this much later; those that live no longer are left out
 */
export async function claimExpiringKeys(
  trx: Knex,
  { nowMs, withinMs, rowsMax }: { nowMs: number; withinMs: number; rowsMax: number },
): Promise<ExpiringKey[]> {
  return queryRows(
    trx,
    `UPDATE api_keys k SET expiry_warned_at = :now FROM teams t
     WHERE t.id = k.team_id AND k.id IN (
       SELECT id FROM api_keys
       WHERE expiry_warned_at IS NULL AND expires_at > :now AND expires_at <= :until
         AND expires_at - created_at > make_interval(secs => :withinSeconds)
       ORDER BY expires_at LIMIT :rowsMax FOR UPDATE SKIP LOCKED)
     RETURNING k.id, k.team_id, t.name AS team_name, k.name, k.key_prefix, k.expires_at, k.created_by`,
    { now: new Date(nowMs), until: new Date(nowMs + withinMs), withinSeconds: withinMs / 1000, rowsMax },
  );
}

/** Returns the email address of the person who made the key; those of the team's owners when that person is not in the team. */
export async function listEmailsToWarn(
  db: Knex,
  { teamId, createdBy }: Pick<ExpiringKey, "teamId" | "createdBy">,
): Promise<string[]> {
  const people = db("memberships").join("users", "users.id", "memberships.userId").where({ teamId });
  const maker = await people.clone().where({ userId: createdBy }).select("email");
  const warned =
    maker.length > 0
      ? maker
      : await people
          .clone()
          .where({ role: "owner" })
          .orderBy("memberships.createdAt")
          .limit(PEOPLE_MAX)
          .select("email");
  return warned.map(({ email }) => email);
}
