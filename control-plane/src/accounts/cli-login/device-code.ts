/**
 * The life of a device code: requested, then authorized or denied by a signed-in person, then exchanged for a key once. No
 * key exists before that exchange, so that a page closed early or a client that gave up leaves nothing behind.
 */
import { randomInt } from "node:crypto";
import {
  type CreatedApiKey,
  DEVICE_CODE_LIFETIME_SECONDS,
  DEVICE_CODE_POLL_SECONDS,
  type DeviceCode,
  DomainError,
  newUserCode,
  SECOND_MS,
} from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import type { Origin, TeamContext } from "../../platform/team-context.ts";
import { createApiKey } from "../api-keys/create-api-key.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { hashToken, newToken } from "../identity/tokens.ts";
import { claimAuthorizedCode, type Decision, decideCode, findCode, insertDeviceCode } from "./store.ts";

/** Path of the page on which a person decides. */
export const CONSENT_PATH = "/cli/authorize";

/** The command line that asks for a key. */
export interface DeviceCodeRequester {
  /** Name that the key will have. */
  clientName: string;
  /** IP address. */
  clientAddress: string;
}

/** Starts a sign-in of the command line. */
export async function requestDeviceCode(
  services: Services,
  { clientName, clientAddress }: DeviceCodeRequester,
): Promise<DeviceCode> {
  const deviceCode = newToken();
  const nowMs = services.clock.nowMs();
  for (;;) {
    const userCode = newUserCode(randomInt);
    const isInserted = await insertDeviceCode(services.knex, {
      deviceCodeHash: hashToken(deviceCode),
      userCode,
      clientName,
      clientAddress,
      createdAt: new Date(nowMs),
      expiresAt: new Date(nowMs + DEVICE_CODE_LIFETIME_SECONDS * SECOND_MS),
    });
    if (isInserted)
      return {
        deviceCode,
        userCode,
        verificationUrl: `${services.publicUrl()}${CONSENT_PATH}?code=${userCode}`,
        expiresIn: DEVICE_CODE_LIFETIME_SECONDS,
        interval: DEVICE_CODE_POLL_SECONDS,
      };
  }
}

/** Actions of the audit log, by the decision about a code. */
const ACTIONS = { authorize: "device_login.authorized", deny: "device_login.denied" } as const;

/**
 * Stores the decision of the signed-in person about a code.
 * @throws DomainError `gone` when no such code waits for a decision
 */
export async function decideDeviceCode(
  ctx: TeamContext,
  { userCode, ...decision }: Pick<Decision, "userId" | "decision"> & { userCode: string },
): Promise<void> {
  const { services, teamId } = ctx;
  const now = new Date(services.clock.nowMs());
  await services.knex.transaction(async (trx) => {
    const decided = await decideCode(trx, { userCode, now }, { ...decision, teamId });
    if (!decided)
      throw new DomainError(
        "gone",
        "This code is unknown, has expired or was decided before; run svc login again",
      );
    const { clientName, clientAddress } = decided;
    const detail = clientAddress === null ? undefined : { requestedFrom: clientAddress };
    const action = ACTIONS[decision.decision];
    await recordAudit(ctx, { action, resourceName: clientName, ...(detail && { detail }) }, trx);
  });
}

/**
 * Exchanges an authorized code for a key. Undefined while nobody has decided.
 * @throws DomainError `gone` when the code was denied, used or has expired
 */
export async function exchangeDeviceCode(
  services: Services,
  { deviceCode, origin }: { deviceCode: string; origin: Origin },
): Promise<CreatedApiKey | undefined> {
  const { knex, clock } = services;
  const key = { deviceCodeHash: hashToken(deviceCode), now: new Date(clock.nowMs()) };
  const code = await findCode(knex, key);
  if (!code) throw usedOrExpired();
  if (code.decision === null) return undefined;
  if (code.decision === "deny") throw new DomainError("gone", "The sign-in was declined in the browser");
  return knex.transaction(async (trx) => {
    const claimed = await claimAuthorizedCode(trx, key);
    if (!claimed) throw usedOrExpired();
    const { clientName, teamId, userId } = claimed;
    const author = { source: "ui", actor: userId, origin } as const;
    const ctx = { services: { ...services, knex: trx }, teamId, author };
    return createApiKey(ctx, { name: clientName, source: "cli" });
  });
}

function usedOrExpired(): DomainError {
  return new DomainError("gone", "This code has expired or was used; run svc login again");
}
