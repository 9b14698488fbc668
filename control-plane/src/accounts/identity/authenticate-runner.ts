/** Authenticates the runner at the other end of a stream by the runner key in its Authorization header. */
import { DomainError } from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import type { RunnerKeyRow } from "./credential-store.ts";
import { findRunnerKey } from "./credentials.ts";
import { RUNNER_KEY_PATTERN } from "./tokens.ts";

/**
 * Returns the key behind `Authorization: Bearer rk_...`.
 * @throws DomainError `unauthenticated`, saying what is wrong with the key; `unavailable` when the database can't be asked
 */
export async function authenticateRunner(
  services: Pick<Services, "knex" | "clock">,
  authorization: string | null,
): Promise<RunnerKeyRow> {
  const secret = /^Bearer (.+)$/i.exec(authorization ?? "")?.[1]?.trim();
  if (!secret) throw unauthenticated("no runner key: send Authorization: Bearer rk_... (SVC_RUNNER_KEY)");
  if (secret.startsWith("sk_"))
    throw unauthenticated("this is an API key (sk_...); a runner needs a runner key (rk_...)");
  if (!RUNNER_KEY_PATTERN.test(secret))
    throw unauthenticated("not a runner key: expected rk_ and 64 lower-case hexadecimal digits");
  const key = await findRunnerKey(services, secret).catch((cause) => {
    throw new DomainError("unavailable", "the control plane can't reach its database; try again", { cause });
  });
  if (!key) throw unauthenticated("unknown runner key: it was revoked, or belongs to another service");
  return key;
}

function unauthenticated(message: string): DomainError {
  return new DomainError("unauthenticated", message);
}
