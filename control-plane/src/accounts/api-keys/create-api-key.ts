import { type ApiKeySource, type CreatedApiKey, newId } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { changeRecord } from "../change-log/change-record.ts";
import { hashToken, keyPrefixOf, newKey } from "../identity/tokens.ts";
import { insertApiKey } from "./store.ts";

export interface CreateApiKeyInput {
  name: string;
  source: ApiKeySource;
  /** The key itself when it was made elsewhere (SVC_BOOTSTRAP_API_KEY); default: a new one. */
  secret?: string | undefined;
}

/** Makes an API key. The answer is the one place where its secret exists in clear text. */
export async function createApiKey(ctx: TeamContext, input: CreateApiKeyInput): Promise<CreatedApiKey> {
  const { teamId, services } = ctx;
  const { name, source, secret = newKey("sk_") } = input;
  const { lastUsedAt: _, ...key } = await changeRecord(ctx, async (trx) => {
    const inserted = await insertApiKey(trx, {
      id: newId("apiKey"),
      teamId,
      name,
      source,
      keyPrefix: keyPrefixOf(secret),
      keyHash: hashToken(secret),
      createdAt: new Date(services.clock.nowMs()),
    });
    return {
      result: inserted,
      changes: [{ action: "created", type: "api_key", resourceId: inserted.id, name }],
    };
  });
  return { ...key, secret };
}
