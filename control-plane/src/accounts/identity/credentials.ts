/**
 * Finds whose a credential is: one indexed query per request and no cache, so that a revoked credential is refused on its
 * next call.
 */
import { HOUR_MS, MINUTE_MS } from "@svc/contract";
import type { Caller, RunnerCaller } from "../../platform/http/caller.ts";
import type { Services } from "../../platform/services.ts";
import {
  type ApiKeyRow,
  findApiKeyByHash,
  findDisplayLinkByHash,
  findRunnerKeyByHash,
  findSignInSession,
  type RunnerKeyRow,
  recordApiKeyUse,
  recordDisplayUse,
  recordRunnerKeyUse,
  recordSessionUse,
} from "./credential-store.ts";
import { verifyDispatchToken } from "./dispatch-token.ts";
import { API_KEY_PATTERN, DISPLAY_SECRET_PATTERN, hashToken, RUNNER_KEY_PATTERN } from "./tokens.ts";

/** A key's last use is recorded at most once in this time, unless it comes from another address. */
const LAST_USED_REFRESH_MS = HOUR_MS;
/** A key's use from another address is recorded at most once in this time: two machines may take turns. */
const ADDRESS_REFRESH_MS = MINUTE_MS;
/** The last use of a session or a display link is recorded at most once in this time. */
const LAST_SEEN_REFRESH_MS = 5 * MINUTE_MS;

const USER_AGENT_LENGTH_MAX = 256;

type Access = Pick<Services, "knex" | "clock">;

/** A token, and the client and IP address that it came from. */
export interface PresentedToken {
  token: string;
  address: string;
  /** Name that the client gives itself, for the list of sessions. */
  userAgent?: string | undefined;
}

/** Returns the team's caller that an `sk_` key stands for, or undefined. */
export async function findApiKeyCaller(
  services: Access,
  { token, address }: PresentedToken,
): Promise<Caller | undefined> {
  if (!API_KEY_PATTERN.test(token)) return undefined;
  const now = new Date(services.clock.nowMs());
  const row = await findApiKeyByHash(services.knex, { keyHash: hashToken(token), now });
  if (!row) return undefined;
  await refreshKeyUse(services, row, address);
  return { kind: "api_key", teamId: row.teamId, apiKeyId: row.id, role: row.role };
}

/** Returns the signed-in person that a session cookie stands for, or undefined. */
export async function findSignedInCaller(
  { knex, clock }: Access,
  { token, address, userAgent }: PresentedToken,
): Promise<Extract<Caller, { kind: "session" }> | undefined> {
  const usedAtMs = clock.nowMs();
  const row = await findSignInSession(knex, { tokenHash: hashToken(token), now: new Date(usedAtMs) });
  if (!row) return undefined;
  if (!isRecent(row.lastSeenAt, usedAtMs - LAST_SEEN_REFRESH_MS))
    await recordSessionUse(knex, row, {
      usedAtMs,
      address,
      userAgent: userAgent?.slice(0, USER_AGENT_LENGTH_MAX),
    });
  return { kind: "session", teamId: row.teamId, userId: row.userId, sessionId: row.id, role: row.role };
}

/** Returns the screen that the secret of a display link stands for, or undefined. */
export async function findDisplayCaller(
  { knex, clock }: Access,
  { token, address }: PresentedToken,
): Promise<Extract<Caller, { kind: "display" }> | undefined> {
  if (!DISPLAY_SECRET_PATTERN.test(token)) return undefined;
  const usedAtMs = clock.nowMs();
  const row = await findDisplayLinkByHash(knex, { secretHash: hashToken(token), now: new Date(usedAtMs) });
  if (!row) return undefined;
  const refreshMs = address === row.lastUsedAddress ? LAST_SEEN_REFRESH_MS : ADDRESS_REFRESH_MS;
  const staleBeforeMs = usedAtMs - refreshMs;
  if (!isRecent(row.lastUsedAt, staleBeforeMs))
    await recordDisplayUse(knex, { id: row.id, usedAtMs, staleBeforeMs, address });
  return { kind: "display", teamId: row.teamId, displayLinkId: row.id, role: "viewer" };
}

/** Returns the runner key that a text of the form `rk_...` is, or undefined. */
export async function findRunnerKey(services: Access, key: string): Promise<RunnerKeyRow | undefined> {
  if (!RUNNER_KEY_PATTERN.test(key)) return undefined;
  const row = await findRunnerKeyByHash(services.knex, hashToken(key));
  if (row) await refreshRunnerKeyUse(services, row);
  return row;
}

/** Returns the runner that an `rk_` key or a dispatch token stands for, or undefined. */
export async function findRunnerCaller(services: Services, token: string): Promise<RunnerCaller | undefined> {
  const grant = verifyDispatchToken(services.secrets, token, services.clock.nowMs());
  if (grant) return { kind: "dispatch_token", ...grant };
  const row = await findRunnerKey(services, token);
  return row && { kind: "runner_key", runnerKeyId: row.id, locationKey: row.locationKey };
}

async function refreshKeyUse(
  { knex, clock }: Access,
  { id, lastUsedAt, lastUsedAddress }: ApiKeyRow,
  address: string,
): Promise<void> {
  const usedAtMs = clock.nowMs();
  const refreshMs = address === lastUsedAddress ? LAST_USED_REFRESH_MS : ADDRESS_REFRESH_MS;
  const staleBeforeMs = usedAtMs - refreshMs;
  if (isRecent(lastUsedAt, staleBeforeMs)) return;
  await recordApiKeyUse(knex, { id, usedAtMs, staleBeforeMs, address });
}

async function refreshRunnerKeyUse({ knex, clock }: Access, { id, lastUsedAt }: RunnerKeyRow): Promise<void> {
  const usedAtMs = clock.nowMs();
  const staleBeforeMs = usedAtMs - LAST_USED_REFRESH_MS;
  if (isRecent(lastUsedAt, staleBeforeMs)) return;
  await recordRunnerKeyUse(knex, { id, usedAtMs, staleBeforeMs });
}

function isRecent(at: string | null, staleBeforeMs: number): boolean {
  return at !== null && Date.parse(at) > staleBeforeMs;
}
