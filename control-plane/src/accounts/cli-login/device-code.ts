/**
 * A device code's life: asked for, then authorized or denied by a signed-in person, then exchanged for a key once. No key
 * exists before that exchange, so that a page closed early or a client that gave up leaves nothing behind.
 */
import { randomInt } from "node:crypto";
import {
  type CreatedApiKey,
  DEVICE_CODE_LIFETIME_SECONDS,
  DEVICE_CODE_POLL_SECONDS,
  type DeviceCode,
  DomainError,
  newUserCode,
  type TeamId,
} from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import { createApiKey } from "../api-keys/create-api-key.ts";
import { hashToken, newToken } from "../identity/tokens.ts";
import { decideCode, findCode, insertDeviceCode, takeAuthorizedCode } from "./store.ts";

export const CONSENT_PATH = "/cli/authorize";

type Shared = Pick<Services, "knex" | "clock" | "publicUrl">;

/** Starts a sign-in. @param clientName what the key will be called */
export async function requestDeviceCode(
  { knex, clock, publicUrl }: Shared,
  clientName: string,
): Promise<DeviceCode> {
  const deviceCode = newToken();
  const nowMs = clock.nowMs();
  for (;;) {
    const userCode = newUserCode(randomInt);
    const isInserted = await insertDeviceCode(knex, {
      ...{ deviceCodeHash: hashToken(deviceCode), userCode, clientName },
      createdAt: new Date(nowMs),
      expiresAt: new Date(nowMs + DEVICE_CODE_LIFETIME_SECONDS * 1000),
    });
    if (isInserted)
      return {
        ...{ deviceCode, userCode },
        verificationUrl: `${publicUrl()}${CONSENT_PATH}?code=${userCode}`,
        expiresIn: DEVICE_CODE_LIFETIME_SECONDS,
        interval: DEVICE_CODE_POLL_SECONDS,
      };
  }
}

/** @throws DomainError gone when no such code waits for a decision */
export async function decideDeviceCode(
  { knex, clock }: Shared,
  person: { userId: string; teamId: TeamId },
  userCode: string,
  decision: "authorize" | "deny",
): Promise<void> {
  const { userId, teamId } = person;
  if (!(await decideCode(knex, userCode, { userId, teamId, decision }, new Date(clock.nowMs()))))
    throw new DomainError(
      "gone",
      "This code is unknown, has expired or was decided before; run svc login again",
    );
}

/** The key, once the code is authorized; undefined while nobody has decided. @throws DomainError gone otherwise */
export async function exchangeDeviceCode(
  { knex, clock }: Shared,
  deviceCode: string,
): Promise<CreatedApiKey | undefined> {
  const hash = hashToken(deviceCode);
  const now = new Date(clock.nowMs());
  const code = await findCode(knex, hash, now);
  if (!code) throw new DomainError("gone", "This code has expired or was used; run svc login again");
  if (code.decision === null) return undefined;
  if (code.decision === "deny") throw new DomainError("gone", "The sign-in was declined in the browser");
  return knex.transaction(async (trx) => {
    const taken = await takeAuthorizedCode(trx, hash, now);
    if (!taken) throw new DomainError("gone", "This code has expired or was used; run svc login again");
    const { clientName, teamId, userId } = taken;
    const author = { source: "ui", actor: userId } as const;
    return createApiKey(trx, clock, teamId, { name: clientName, source: "cli" }, undefined, author);
  });
}
