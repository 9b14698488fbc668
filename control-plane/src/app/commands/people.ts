/** `svc-control-plane people ...`: the people of a team, managed by the operator. */
import { text as readText } from "node:stream/consumers";
import {
  createInvitationSchema,
  DomainError,
  newPasswordSchema,
  notFound,
  type TeamId,
  type TeamRole,
  type UserId,
} from "@svc/contract";
import { hashPassword } from "../../accounts/identity/passwords.ts";
import { recordAccountAction } from "../../accounts/identity/record-account-action.ts";
import { createSignInLink } from "../../accounts/identity/sign-in.ts";
import { findAccountByEmail, findFirstTeamId } from "../../accounts/identity/store.ts";
import { createInvitation } from "../../accounts/people/invitations.ts";
import { listMembers, removeMember, setMemberRole } from "../../accounts/people/members.ts";
import { replacePassword } from "../../accounts/people/store.ts";
import { hasTeam } from "../../accounts/teams/store.ts";
import type { Services } from "../../platform/services.ts";
import { commandAuthor, recordCommand } from "./operator.ts";
import { table } from "./table.ts";
import { withServices } from "./with-services.ts";

/** A person in a team, as an operator names them. */
export interface PersonOptions {
  team: TeamId;
  email: string;
}

/** Returns the team's people as a table, the first joined first. */
export async function listPeopleCommand({ team }: { team: TeamId }): Promise<string> {
  const members = await withServices(async (services) => {
    await assertTeam(services, team);
    return listMembers({ services, teamId: team, author: commandAuthor() });
  });
  return table(
    ["ID", "EMAIL", "ROLE", "JOINED", "LAST SEEN"],
    members.map(({ userId, email, role, joinedAt, lastSeenAt }) => [
      userId,
      email,
      role,
      joinedAt,
      lastSeenAt ?? "never",
    ]),
  );
}

/** Invites a person. The answer shows the one-time link. */
export async function inviteCommand({ team, ...given }: PersonOptions & { role: string }): Promise<string> {
  const invitation = createInvitationSchema.safeParse(given);
  if (!invitation.success)
    throw new DomainError("invalid", invitation.error.issues.map(({ message }) => message).join("; "));
  return withServices(async (services) => {
    await assertTeam(services, team);
    const ctx = { services, teamId: team, author: commandAuthor() };
    const { link } = await createInvitation(ctx, invitation.data);
    return `${link}  (once, within 7 days)`;
  });
}

/** Removes a person from a team. */
export async function removePersonCommand({ team, email }: PersonOptions): Promise<string> {
  return withServices(async (services) => {
    const userId = await getMemberId(services, { team, email });
    await removeMember({ services, teamId: team, author: commandAuthor() }, userId);
    return `${email} is not in team ${team} any more`;
  });
}

/** Gives a person of a team another role. */
export async function setRoleCommand({
  team,
  email,
  role,
}: PersonOptions & { role: TeamRole }): Promise<string> {
  return withServices(async (services) => {
    const userId = await getMemberId(services, { team, email });
    await setMemberRole({ services, teamId: team, author: commandAuthor() }, { userId, role });
    return `${email} is ${role} of team ${team}`;
  });
}

/**
 * Takes an account's password away and ends its sessions. The answer is a one-time link by which the person chooses
 * another one; with `stdin`, the password is the first line of the input instead.
 */
export async function resetPasswordCommand({
  email,
  stdin,
}: {
  email: string;
  stdin?: boolean;
}): Promise<string> {
  const password = stdin ? await passwordFromInput() : undefined;
  return withServices(async (services) => {
    const { knex, clock } = services;
    const account = await findAccountByEmail(knex, email);
    if (!account) throw notFound(`An account with the email ${email}`);
    const teamId = await findFirstTeamId(knex, account.id);
    const passwordHash = password === undefined ? null : await hashPassword(password);
    const updatedAt = new Date(clock.nowMs());
    await knex.transaction(async (trx) => {
      await replacePassword(trx, { userId: account.id, passwordHash, updatedAt });
      const detail = { to: password === undefined ? "none" : "password" };
      const action = { action: "password.reset", userId: account.id, detail } as const;
      await recordAccountAction({ services, author: commandAuthor() }, trx, action);
    });
    if (password !== undefined) return `the password of ${email} is set; the account's sessions have ended`;
    if (!teamId) return `the password of ${email} is gone; the account is in no team`;
    const link = await createSignInLink(services, { userId: account.id, teamId });
    const about = { resourceId: account.id, resourceName: account.email };
    await recordCommand({ services }, { action: "sign_in_link.created", teamId, ...about });
    return `${link}  (once, within 24 hours; its page asks for another password)`;
  });
}

async function passwordFromInput(): Promise<string> {
  const [line = ""] = (await readText(process.stdin)).split(/\r?\n/);
  const password = newPasswordSchema.safeParse(line);
  if (!password.success) throw new DomainError("invalid", password.error.issues[0]?.message ?? "no password");
  return password.data;
}

async function getMemberId(services: Services, { team, email }: PersonOptions): Promise<UserId> {
  const members = await listMembers({ services, teamId: team, author: commandAuthor() });
  const member = members.find((one) => one.email.toLowerCase() === email.toLowerCase());
  if (!member) throw notFound(`A member of team ${team} with the email ${email}`);
  return member.userId;
}

async function assertTeam({ knex }: Services, teamId: TeamId): Promise<void> {
  if (!(await hasTeam(knex, teamId))) throw notFound(`Team ${teamId}`);
}
