/**
 * Finds whose a credential is: one indexed query per request and no cache, so that a revoked credential is refused on its
 * next call.
 */
import { type ApiKeyId, HOUR_MS } from "@svc/contract";
import type { Caller, RunnerCaller } from "../../platform/http/caller.ts";
import type { Services } from "../../platform/services.ts";
import {
  findApiKeyByHash,
  findLiveSession,
  findRunnerKeyByHash,
  type RunnerKeyRow,
  recordLastUse,
} from "./credential-store.ts";
import { verifyDispatchToken } from "./dispatch-token.ts";
import { API_KEY_PATTERN, hashToken, RUNNER_KEY_PATTERN } from "./tokens.ts";

/** A key's last use is recorded at most once in this time. */
const LAST_USED_REFRESH_MS = HOUR_MS;

type Access = Pick<Services, "knex" | "clock">;

/** Returns the team's caller that an `sk_` key stands for, or undefined. */
export async function findApiKeyCaller(services: Access, key: string): Promise<Caller | undefined> {
  if (!API_KEY_PATTERN.test(key)) return undefined;
  const row = await findApiKeyByHash(services.knex, hashToken(key));
  if (!row) return undefined;
  await refreshLastUse(services, "apiKeys", row);
  return { kind: "api_key", teamId: row.teamId, apiKeyId: row.id };
}

/** Returns the signed-in person that a session cookie stands for, or undefined. */
export async function findSessionCaller({ knex, clock }: Access, token: string): Promise<Caller | undefined> {
  const now = new Date(clock.nowMs());
  const row = await findLiveSession(knex, { tokenHash: hashToken(token), now });
  return row && { kind: "session", teamId: row.teamId, userId: row.userId };
}

/** Returns the runner key that a text of the form `rk_...` is, or undefined. */
export async function findRunnerKey(services: Access, key: string): Promise<RunnerKeyRow | undefined> {
  if (!RUNNER_KEY_PATTERN.test(key)) return undefined;
  const row = await findRunnerKeyByHash(services.knex, hashToken(key));
  if (row) await refreshLastUse(services, "runnerKeys", row);
  return row;
}

/** Returns the runner that an `rk_` key or a dispatch token stands for, or undefined. */
export async function findRunnerCaller(services: Services, token: string): Promise<RunnerCaller | undefined> {
  const grant = verifyDispatchToken(services.secrets, token, services.clock.nowMs());
  if (grant) return { kind: "dispatch_token", ...grant };
  const row = await findRunnerKey(services, token);
  return row && { kind: "runner_key", runnerKeyId: row.id, locationKey: row.locationKey };
}

async function refreshLastUse(
  { knex, clock }: Access,
  table: "apiKeys" | "runnerKeys",
  { id, lastUsedAt }: Pick<RunnerKeyRow, "lastUsedAt"> & { id: RunnerKeyRow["id"] | ApiKeyId },
): Promise<void> {
  const usedAtMs = clock.nowMs();
  const staleBeforeMs = usedAtMs - LAST_USED_REFRESH_MS;
  if (lastUsedAt !== null && Date.parse(lastUsedAt) > staleBeforeMs) return;
  await recordLastUse(knex, { table, id, usedAtMs, staleBeforeMs });
}
