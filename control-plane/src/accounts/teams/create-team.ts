/** Making a team: the operator's act, or the first boot's. */
import { newId, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { Clock } from "../../platform/clock.ts";
import { hashPassword } from "../identity/passwords.ts";
import { ensureUser, insertOwner, insertTeam } from "./store.ts";

export interface NewTeam {
  name: string;
  ownerEmail: string;
  /** The owner's password when the account is new; without one the owner signs in by link or identity provider. */
  ownerPassword?: string;
}

/** Makes the team with its owner; someone who has an account becomes owner of this team too, with the password they have. */
export async function createTeam(
  knex: Knex,
  clock: Clock,
  { name, ownerEmail, ownerPassword }: NewTeam,
): Promise<{ teamId: TeamId; userId: string; isNewUser: boolean }> {
  const passwordHash = ownerPassword === undefined ? null : await hashPassword(ownerPassword);
  const createdAt = new Date(clock.nowMs());
  const teamId = newId("team");
  return knex.transaction(async (trx) => {
    await insertTeam(trx, { id: teamId, name, createdAt });
    const { userId, isNew } = await ensureUser(trx, {
      id: newId("user"),
      email: ownerEmail,
      passwordHash,
      createdAt,
    });
    await insertOwner(trx, { teamId, userId, createdAt });
    return { teamId, userId, isNewUser: isNew };
  });
}
