/**
 * The first boot: gives an empty database a team that someone can work with. Replicas that start at once wait for one
 * another; one of them does it.
 */
import { type CreateCheck, createCheckSchema, newId, type TeamId } from "@svc/contract";
import { createApiKey } from "../accounts/api-keys/create-api-key.ts";
import { storeHostedKey } from "../accounts/identity/credential-store.ts";
import { createSignInLink } from "../accounts/identity/sign-in.ts";
import { createTeam } from "../accounts/teams/create-team.ts";
import { hasAnyTeam } from "../accounts/teams/store.ts";
import { createCheck } from "../checks/create-check.ts";
import { ADVISORY_LOCKS } from "../platform/db/advisory-locks.ts";
import type { Services } from "../platform/services.ts";
import { OPERATOR } from "../platform/team-context.ts";

/** Outcome of the first boot, to be shown once. */
export interface FirstBoot {
  teamId: TeamId;
  email: string;
  /** Unset when SVC_BOOTSTRAP_API_KEY provisions the service. */
  signInLink: string | undefined;
  hasExampleCheck: boolean;
}

const TEAM_NAME = "My team";
const DEFAULT_EMAIL = "owner@svc.local";

/**
 * Makes the first team with its owner, and an API key or an example check, when there is no team yet; and the runner key of the settings.
 * @param exampleUrl the service's own /healthz as a runner reaches it: the example check watches it; undefined: no example
 * @returns undefined when there was a team
 */
export async function bootFirst(services: Services, exampleUrl?: string): Promise<FirstBoot | undefined> {
  return services.knex.transaction(async (trx) => {
    await trx.raw("SELECT pg_advisory_xact_lock(?)", [ADVISORY_LOCKS.bootstrap]);
    if (await hasAnyTeam(trx)) return undefined;
    return makeFirstTeam({ ...services, knex: trx }, exampleUrl);
  });
}

async function makeFirstTeam(services: Services, exampleUrl?: string): Promise<FirstBoot> {
  const { bootstrapEmail: email = DEFAULT_EMAIL, bootstrapPassword, bootstrapApiKey } = services.config;
  await storeBootstrapRunnerKey(services);
  const { teamId, userId } = await createTeam(services, {
    name: TEAM_NAME,
    ownerEmail: email,
    ownerPassword: bootstrapPassword,
    author: OPERATOR,
  });
  const ctx = { services, teamId, author: OPERATOR };
  if (bootstrapApiKey) {
    await createApiKey(ctx, { name: "Bootstrap key", source: "manual", secret: bootstrapApiKey });
    return { teamId, email, signInLink: undefined, hasExampleCheck: false };
  }
  if (exampleUrl !== undefined) await createCheck(ctx, exampleCheck(exampleUrl));
  const signInLink = await createSignInLink(services, { userId, teamId });
  return { teamId, email, signInLink, hasExampleCheck: exampleUrl !== undefined };
}

/** Makes the hosted locations' key that agents were given beforehand, such as by a file of secrets that both sides read. */
async function storeBootstrapRunnerKey({ config, knex, clock }: Services): Promise<void> {
  if (config.bootstrapRunnerKey === undefined) return;
  const input = { id: newId("runnerKey"), name: "Bootstrap key", createdAtMs: clock.nowMs() };
  await storeHostedKey(knex, { ...input, secret: config.bootstrapRunnerKey });
}

function exampleCheck(url: string): CreateCheck {
  return createCheckSchema.parse({
    name: "Example: this service's own health",
    type: "http",
    frequencySeconds: 60,
    locations: ["loc_us_east"],
    httpConfig: { url, assertions: [{ type: "status_code", value: 200 }] },
  });
}
