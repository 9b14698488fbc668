import { newId, type TeamId, type UserId } from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import { hashPassword } from "../identity/passwords.ts";
import { ensureUser, insertOwner, insertTeam } from "./store.ts";

export interface CreateTeamInput {
  name: string;
  ownerEmail: string;
  /** Password of the owner when the account is new; without one the owner signs in by link or identity provider. */
  ownerPassword?: string | undefined;
}

/**
 * Makes a team with its owner, for the operator or at the first boot. A person who has an account becomes owner of this team
 * too and keeps their password.
 */
export async function createTeam(
  { knex, clock }: Pick<Services, "knex" | "clock">,
  { name, ownerEmail, ownerPassword }: CreateTeamInput,
): Promise<{ teamId: TeamId; userId: UserId }> {
  const passwordHash = ownerPassword === undefined ? null : await hashPassword(ownerPassword);
  const createdAt = new Date(clock.nowMs());
  const teamId = newId("team");
  return knex.transaction(async (trx) => {
    await insertTeam(trx, { id: teamId, name, createdAt });
    const userId = await ensureUser(trx, { id: newId("user"), email: ownerEmail, passwordHash, createdAt });
    await insertOwner(trx, { teamId, userId, createdAt });
    return { teamId, userId };
  });
}
