/** `svc-control-plane teams ...` and `sign-in-link`: teams and their people, made by the operator. */
import { DomainError, notFound, type TeamId, type UserId } from "@svc/contract";
import { createApiKey } from "../../accounts/api-keys/create-api-key.ts";
import { createSignInLink } from "../../accounts/identity/sign-in.ts";
import { findAccountByEmail, findFirstTeamId } from "../../accounts/identity/store.ts";
import { createTeam } from "../../accounts/teams/create-team.ts";
import { deleteTeam } from "../../accounts/teams/delete-team.ts";
import {
  hasSecondTeam,
  selectPlanNames,
  selectTeamOverviews,
  updatePlan,
} from "../../accounts/teams/store.ts";
import { locationDependents } from "../../checks/locations/team-dependents.ts";
import type { Services } from "../../platform/services.ts";
import { commandAuthor, recordCommand } from "./operator.ts";
import { table } from "./table.ts";
import { withServices } from "./with-services.ts";

const SHARED_NETWORK_ADVICE = `Several teams share this service now. One that was started by npm start lets each team's checks reach private addresses
of its network unless SVC_EGRESS_PRIVATE says deny.`;

/** Flags of `teams create`. `apiKey`: also make a key. */
export interface CreateTeamOptions {
  name: string;
  ownerEmail: string;
  apiKey?: boolean;
}

/** Makes a team. The answer shows its id, a one-time link for its owner and, if asked for, a key. */
export async function createTeamCommand({ name, ownerEmail, apiKey }: CreateTeamOptions): Promise<string> {
  return withServices(async (services) => {
    const { teamId, userId } = await createTeam(services, { name, ownerEmail, author: commandAuthor() });
    const link = await createSignInLink(services, { userId, teamId });
    await recordLink(services, { userId, teamId, email: ownerEmail });
    const lines = [`team      ${teamId}`, `sign in   ${link}  (once, within 24 hours)`];
    if (apiKey) {
      const ctx = { services, teamId, author: commandAuthor() };
      const key = await createApiKey(ctx, { name: "Made by the operator", source: "manual" });
      lines.push(`API key   ${key.secret}  (shown only now)`);
    }
    if (process.env.SVC_EGRESS_PRIVATE === undefined && (await hasSecondTeam(services.knex)))
      lines.push("", SHARED_NETWORK_ADVICE);
    return lines.join("\n");
  });
}

/** Returns all teams as a table, oldest first. */
export async function listTeamsCommand(): Promise<string> {
  const teams = await withServices(({ knex }) => selectTeamOverviews(knex));
  return table(
    ["ID", "NAME", "PLAN", "CHECKS", "OWNERS", "CREATED"],
    teams.map((team) => [
      team.id,
      team.name,
      team.plan,
      String(team.checks),
      team.owners.join(","),
      team.createdAt,
    ]),
  );
}

/**
 * Puts a team on a plan.
 * @throws DomainError `invalid` when there is no such plan, `not_found` when there is no such team
 */
export async function setPlanCommand(teamId: TeamId, plan: string): Promise<string> {
  return withServices(async (services) => {
    const { knex, clock } = services;
    const plans = await selectPlanNames(knex);
    if (!plans.includes(plan))
      throw new DomainError("invalid", `No plan "${plan}"; there are ${plans.join(", ")}`);
    const isFound = await updatePlan(knex, teamId, { plan, updatedAt: new Date(clock.nowMs()) });
    if (!isFound) throw notFound(`Team ${teamId}`);
    await recordCommand({ services }, { action: "team.plan_changed", teamId, detail: { plan } });
    return `team ${teamId} is on plan ${plan}`;
  });
}

/**
 * Deletes a team with all of its records, which the running service removes.
 * @param name the team's name, so that nobody deletes the wrong team
 * @throws DomainError `not_found`; `invalid` when the name is another
 */
export async function deleteTeamCommand(teamId: TeamId, { name }: { name: string }): Promise<string> {
  return withServices(async (services) => {
    await deleteTeam(
      { services, teamId, author: commandAuthor() },
      { name, dependents: [locationDependents] },
    );
    return `team ${teamId} is deleted; the running service removes its records within minutes`;
  });
}

/**
 * Returns a one-time sign-in link for a person who has an account.
 * @throws DomainError `not_found`
 */
export async function signInLinkCommand(email: string): Promise<string> {
  return withServices(async (services) => {
    const account = await findAccountByEmail(services.knex, email);
    const teamId = account && (await findFirstTeamId(services.knex, account.id));
    if (!account || !teamId) throw notFound(`An account of a team with the email ${email}`);
    const link = await createSignInLink(services, { userId: account.id, teamId });
    await recordLink(services, { userId: account.id, teamId, email: account.email });
    return link;
  });
}

async function recordLink(
  services: Services,
  { userId, teamId, email }: { userId: UserId; teamId: TeamId; email: string },
): Promise<void> {
  const action = "sign_in_link.created";
  await recordCommand({ services }, { action, teamId, resourceId: userId, resourceName: email });
}
