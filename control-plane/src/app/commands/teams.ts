/** `svc-control-plane teams ...` and `sign-in-link`: teams and their people, made by the operator. */
import { DomainError, notFound, type TeamId } from "@svc/contract";
import { createApiKey } from "../../accounts/api-keys/create-api-key.ts";
import { createSignInLink } from "../../accounts/identity/sign-in.ts";
import { findAccountByEmail, findFirstTeamId } from "../../accounts/identity/store.ts";
import { createTeam } from "../../accounts/teams/create-team.ts";
import { selectPlanNames, selectTeamOverviews, updatePlan } from "../../accounts/teams/store.ts";
import { systemClock as clock } from "../../platform/clock.ts";
import { configuredPublicUrl } from "../../platform/config.ts";
import { table } from "./table.ts";
import { withDatabase } from "./with-database.ts";

export interface CreateTeamOptions {
  name: string;
  ownerEmail: string;
  apiKey?: boolean;
}

/** Makes a team. Prints its id, a one-time link for its owner and, if asked for, a key. */
export async function createTeamCommand({ name, ownerEmail, apiKey }: CreateTeamOptions): Promise<string> {
  return withDatabase(async (knex, config) => {
    const { teamId, userId } = await createTeam(knex, clock, { name, ownerEmail });
    const link = await createSignInLink({ knex, clock }, configuredPublicUrl(config), { userId, teamId });
    const lines = [`team      ${teamId}`, `sign in   ${link}  (once, within 24 hours)`];
    if (apiKey) {
      const key = await createApiKey(knex, clock, teamId, { name: "Made by the operator", source: "manual" });
      lines.push(`API key   ${key.secret}  (shown only now)`);
    }
    return lines.join("\n");
  });
}

export async function listTeamsCommand(): Promise<string> {
  const teams = await withDatabase((knex) => selectTeamOverviews(knex));
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

/** @throws DomainError invalid (no such plan), not_found (no such team) */
export async function setPlanCommand(teamId: TeamId, plan: string): Promise<string> {
  return withDatabase(async (knex) => {
    const plans = await selectPlanNames(knex);
    if (!plans.includes(plan))
      throw new DomainError("invalid", `No plan "${plan}"; there are ${plans.join(", ")}`);
    if (!(await updatePlan(knex, teamId, plan, new Date(clock.nowMs())))) throw notFound(`Team ${teamId}`);
    return `team ${teamId} is on plan ${plan}`;
  });
}

/** A one-time link for someone who has an account. @throws DomainError not_found */
export async function signInLinkCommand(email: string): Promise<string> {
  return withDatabase(async (knex, config) => {
    const account = await findAccountByEmail(knex, email);
    const teamId = account && (await findFirstTeamId(knex, account.id));
    if (!account || !teamId) throw notFound(`An account of a team with the email ${email}`);
    return createSignInLink({ knex, clock }, configuredPublicUrl(config), { userId: account.id, teamId });
  });
}
