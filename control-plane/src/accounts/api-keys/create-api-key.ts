import { type ApiKeySource, type CreatedApiKey, invalidField, type KeyRole, newId } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { changeRecord } from "../change-log/change-record.ts";
import { hashToken, keyPrefixOf, newKey } from "../identity/tokens.ts";
import { insertApiKey } from "./store.ts";

/** The name, role and lifetime of a new key. */
export interface CreateApiKeyInput {
  name: string;
  source: ApiKeySource;
  /** Default: member. */
  role?: KeyRole;
  /** ISO 8601; default: the key doesn't expire. */
  expiresAt?: string | null;
  /** The key itself when it was made elsewhere (SVC_BOOTSTRAP_API_KEY); default: a new one. */
  secret?: string | undefined;
}

/**
 * Makes an API key. The answer is the one place where its secret exists in clear text.
 * @throws DomainError `invalid` when the key would have expired already
 */
export async function createApiKey(ctx: TeamContext, input: CreateApiKeyInput): Promise<CreatedApiKey> {
  const { teamId, services, author } = ctx;
  const { name, source, role = "member", secret = newKey("sk_") } = input;
  const nowMs = services.clock.nowMs();
  const expiresAt = input.expiresAt ? new Date(input.expiresAt) : null;
  if (expiresAt && expiresAt.getTime() <= nowMs) throw invalidField("expiresAt", "lies in the past");
  const {
    lastUsedAt: _,
    lastUsedAddress: _address,
    createdBy: _createdBy,
    expiryWarnedAt: _expiryWarnedAt,
    ...key
  } = await changeRecord(ctx, async (trx) => {
    const inserted = await insertApiKey(trx, {
      id: newId("apiKey"),
      teamId,
      name,
      source,
      role,
      expiresAt,
      createdBy: author.source === "ui" ? author.actor : null,
      keyPrefix: keyPrefixOf(secret),
      keyHash: hashToken(secret),
      createdAt: new Date(nowMs),
    });
    return {
      result: inserted,
      changes: [{ action: "created", type: "api_key", resourceId: inserted.id, name }],
    };
  });
  return { ...key, secret };
}
