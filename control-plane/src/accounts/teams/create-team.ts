import { newId, type TeamId, type UserId } from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import type { Author } from "../../platform/team-context.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { hashPassword } from "../identity/passwords.ts";
import { ensureUser, insertOwner, insertTeam } from "./store.ts";

/** The team's name and its first owner. */
export interface CreateTeamInput {
  name: string;
  ownerEmail: string;
  /** Password of the owner when the account is new; without one the owner signs in by link or identity provider. */
  ownerPassword?: string | undefined;
  /** Who makes the team, for its audit log. */
  author: Author;
}

/**
 * Makes a team with its owner, for the operator or at the first boot. A person who has an account becomes owner of this team
 * too and keeps their password.
 */
export async function createTeam(
  services: Pick<Services, "knex" | "clock" | "onAudit">,
  { name, ownerEmail, ownerPassword, author }: CreateTeamInput,
): Promise<{ teamId: TeamId; userId: UserId }> {
  const passwordHash = ownerPassword === undefined ? null : await hashPassword(ownerPassword);
  const createdAt = new Date(services.clock.nowMs());
  const teamId = newId("team");
  return services.knex.transaction(async (trx) => {
    await insertTeam(trx, { id: teamId, name, createdAt });
    const userId = await ensureUser(trx, { id: newId("user"), email: ownerEmail, passwordHash, createdAt });
    await insertOwner(trx, { teamId, userId, createdAt });
    const action = { action: "team.created", resourceId: teamId, resourceName: name } as const;
    await recordAudit({ services, teamId, author }, action, trx);
    return { teamId, userId };
  });
}
