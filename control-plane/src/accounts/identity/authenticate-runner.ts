/** Authenticates the runner at the other end of a stream by the runner key in its Authorization header. */
import { DomainError } from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import type { RunnerKeyRow } from "./credential-store.ts";
import { findRunnerKey } from "./credentials.ts";
import { RUNNER_KEY_PATTERN } from "./tokens.ts";

/**
 * Returns the runner key that `Authorization: Bearer rk_...` holds. Asks no database.
 * @throws DomainError `unauthenticated`, saying what is wrong with the header
 */
export function runnerSecretOf(authorization: string | undefined): string {
  const secret = /^Bearer (.+)$/i.exec(authorization ?? "")?.[1]?.trim();
  if (!secret) throw unauthenticated("no runner key: send Authorization: Bearer rk_... (SVC_RUNNER_KEY)");
  if (secret.startsWith("sk_"))
    throw unauthenticated("this is an API key (sk_...); a runner needs a runner key (rk_...)");
  if (!RUNNER_KEY_PATTERN.test(secret))
    throw unauthenticated("not a runner key: expected rk_ and 64 lower-case hexadecimal digits");
  return secret;
}

/**
 * Returns the row of a runner key, whose text {@link runnerSecretOf} returned.
 * @throws DomainError `unauthenticated` when there is none; `unavailable` when the database can't be asked
 */
export async function getRunnerKey(
  services: Pick<Services, "knex" | "clock">,
  secret: string,
): Promise<RunnerKeyRow> {
  const key = await findRunnerKey(services, secret).catch((cause) => {
    throw new DomainError("unavailable", "the control plane can't reach its database; try again", { cause });
  });
  if (!key) throw unauthenticated("unknown runner key: it was revoked, or belongs to another service");
  return key;
}

function unauthenticated(message: string): DomainError {
  return new DomainError("unauthenticated", message);
}
