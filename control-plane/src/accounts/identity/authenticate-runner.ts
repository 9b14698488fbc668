/** Who is at the other end of a stream: the runner key in its Authorization header. */
import { createHash } from "node:crypto";
import { DomainError } from "@svc/contract";
import type { Knex } from "knex";
import { findRunnerKey, type RunnerKeyRow } from "./runner-key-store.ts";

const RUNNER_KEY = /^rk_[0-9a-f]{64}$/;

/** SHA-256 as runner keys are stored. */
export function hashRunnerKey(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

/**
 * The key behind `Authorization: Bearer rk_...`.
 * @throws DomainError `unauthenticated`, saying what is wrong with it; `unavailable` when the database can't be asked
 */
export async function authenticateRunner(db: Knex, authorization: string | null): Promise<RunnerKeyRow> {
  const secret = /^Bearer (.+)$/i.exec(authorization ?? "")?.[1]?.trim();
  if (!secret)
    throw new DomainError(
      "unauthenticated",
      "no runner key: send Authorization: Bearer rk_... (SVC_RUNNER_KEY)",
    );
  if (secret.startsWith("sk_"))
    throw new DomainError(
      "unauthenticated",
      "this is an API key (sk_...); a runner needs a runner key (rk_...)",
    );
  if (!RUNNER_KEY.test(secret))
    throw new DomainError(
      "unauthenticated",
      "not a runner key: expected rk_ and 64 lower-case hexadecimal digits",
    );
  const key = await findRunnerKey(db, hashRunnerKey(secret)).catch((cause) => {
    throw new DomainError("unavailable", "the control plane can't reach its database; try again", { cause });
  });
  if (!key)
    throw new DomainError(
      "unauthenticated",
      "unknown runner key: it was revoked, or belongs to another service",
    );
  return key;
}
