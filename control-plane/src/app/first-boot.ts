/**
 * The first boot: makes an empty database one that someone can work with. Replicas that start at once wait for one
 * another; one of them does it.
 */
import { randomBytes } from "node:crypto";
import { createCheckSchema, type TeamId } from "@svc/contract";
import { createApiKey } from "../accounts/api-keys/create-api-key.ts";
import { createSignInLink } from "../accounts/identity/sign-in.ts";
import { createTeam } from "../accounts/teams/create-team.ts";
import { hasAnyTeam } from "../accounts/teams/store.ts";
import { createCheck } from "../checks/create-check.ts";
import { ADVISORY_LOCKS } from "../platform/db/advisory-locks.ts";
import type { Services } from "../platform/services.ts";
import { OPERATOR } from "../platform/team-context.ts";

/** What the first boot made, to be told once. */
export interface FirstBoot {
  teamId: TeamId;
  email: string;
  /** Set when it was generated. */
  generatedPassword: string | undefined;
  /** Unset when SVC_BOOTSTRAP_API_KEY provisions the service. */
  signInLink: string | undefined;
  hasExampleCheck: boolean;
}

const TEAM_NAME = "My team";
const DEFAULT_EMAIL = "owner@svc.local";

/**
 * Does it when there is no team yet.
 * @param healthUrl the service's own /healthz, as a runner reaches it: what the example check watches
 * @returns undefined when there was nothing to do
 */
export async function bootFirst(services: Services, healthUrl: string): Promise<FirstBoot | undefined> {
  const { config, clock } = services;
  return services.knex.transaction(async (trx) => {
    await trx.raw("SELECT pg_advisory_xact_lock(?)", [ADVISORY_LOCKS.bootstrap]);
    if (await hasAnyTeam(trx)) return undefined;
    const email = config.bootstrapEmail ?? DEFAULT_EMAIL;
    const generatedPassword =
      config.bootstrapPassword === undefined ? randomBytes(12).toString("base64url") : undefined;
    const { teamId, userId } = await createTeam(trx, clock, {
      name: TEAM_NAME,
      ownerEmail: email,
      ownerPassword: config.bootstrapPassword ?? generatedPassword,
    });
    const key = config.bootstrapApiKey;
    if (key) await createApiKey(trx, clock, teamId, { name: "Bootstrap key", source: "manual" }, key);
    else await createExampleCheck({ ...services, knex: trx }, teamId, healthUrl);
    const signInLink = key
      ? undefined
      : await createSignInLink({ knex: trx, clock }, services.publicUrl(), { userId, teamId });
    return { teamId, email, generatedPassword, signInLink, hasExampleCheck: !key };
  });
}

async function createExampleCheck(services: Services, teamId: TeamId, healthUrl: string): Promise<void> {
  const check = createCheckSchema.parse({
    name: "Example: this service's own health",
    type: "http",
    frequencySeconds: 60,
    locations: ["loc_us_east"],
    httpConfig: { url: healthUrl, assertions: [{ type: "status_code", value: 200 }] },
  });
  await createCheck({ services, teamId, author: OPERATOR }, check);
}
