/**
 * Who a credential belongs to: one indexed query per request and no cache, so that what was revoked is refused on its
 * next call.
 */
import type { Knex } from "knex";
import type { Caller, RunnerCaller } from "../../platform/http/caller.ts";
import type { Services } from "../../platform/services.ts";
import { verifyDispatchToken } from "./dispatch-token.ts";
import { API_KEY_PATTERN, hashToken, RUNNER_KEY_PATTERN } from "./tokens.ts";

/** lastUsedAt of a key is refreshed at most once in this time. */
const LAST_USED_REFRESH_MS = 60 * 60 * 1000;

/** The team's caller that an `sk_` key stands for, or undefined. */
export async function findApiKeyCaller(services: Services, key: string): Promise<Caller | undefined> {
  if (!API_KEY_PATTERN.test(key)) return undefined;
  const row = await services
    .knex("api_keys")
    .where({ keyHash: hashToken(key) })
    .first("id", "teamId", "lastUsedAt");
  if (!row) return undefined;
  await refreshLastUsed(services, "api_keys", row);
  return { kind: "api_key", teamId: row.teamId, apiKeyId: row.id };
}

/** The signed-in person that a session cookie stands for, or undefined. */
export async function findSessionCaller(services: Services, token: string): Promise<Caller | undefined> {
  const row = await services
    .knex("sessions")
    .where({ tokenHash: hashToken(token) })
    .where("expiresAt", ">", new Date(services.clock.nowMs()))
    .first("userId", "teamId");
  return row && { kind: "session", teamId: row.teamId, userId: row.userId };
}

/** The runner that an `rk_` key or a dispatch token stands for, or undefined. */
export async function findRunnerCaller(services: Services, token: string): Promise<RunnerCaller | undefined> {
  const grant = verifyDispatchToken(services.secrets, token, services.clock.nowMs());
  if (grant) return { kind: "dispatch_token", ...grant };
  if (!RUNNER_KEY_PATTERN.test(token)) return undefined;
  const row = await services
    .knex("runner_keys")
    .where({ keyHash: hashToken(token) })
    .first("id", "locationKey", "lastUsedAt");
  if (!row) return undefined;
  await refreshLastUsed(services, "runner_keys", row);
  return { kind: "runner_key", runnerKeyId: row.id, locationKey: row.locationKey };
}

async function refreshLastUsed(
  services: Pick<Services, "knex" | "clock">,
  table: "api_keys" | "runner_keys",
  row: { id: string; lastUsedAt: string | null },
): Promise<void> {
  const nowMs = services.clock.nowMs();
  const isStale = (at: string | null) => at === null || Date.parse(at) <= nowMs - LAST_USED_REFRESH_MS;
  if (!isStale(row.lastUsedAt)) return;
  await services
    .knex(table)
    .where({ id: row.id })
    .where((query: Knex.QueryBuilder) =>
      query.whereNull("lastUsedAt").orWhere("lastUsedAt", "<=", new Date(nowMs - LAST_USED_REFRESH_MS)),
    )
    .update({ lastUsedAt: new Date(nowMs) });
}
