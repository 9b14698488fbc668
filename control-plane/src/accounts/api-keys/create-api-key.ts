/** Making an API key: the one moment at which its secret exists in clear text. */
import { type CreateApiKey, type CreatedApiKey, newId, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { Clock } from "../../platform/clock.ts";
import { type Author, OPERATOR } from "../../platform/team-context.ts";
import { recordChange } from "../change-log/store.ts";
import { hashToken, keyPrefixOf, newKey } from "../identity/tokens.ts";
import { insertApiKey } from "./store.ts";

/** @param secret the key itself, when it was made elsewhere (SVC_BOOTSTRAP_API_KEY) */
export async function createApiKey(
  knex: Knex,
  clock: Clock,
  teamId: TeamId,
  { name, source }: Pick<CreateApiKey, "name" | "source">,
  secret = newKey("sk_"),
  author: Author = OPERATOR,
): Promise<CreatedApiKey> {
  const nowMs = clock.nowMs();
  const { lastUsedAt: _, ...key } = await knex.transaction(async (trx) => {
    const inserted = await insertApiKey(trx, {
      id: newId("apiKey"),
      teamId,
      name,
      source,
      keyPrefix: keyPrefixOf(secret),
      keyHash: hashToken(secret),
      createdAt: new Date(nowMs),
    });
    await recordChange(trx, {
      ...{ teamId, author, action: "created", type: "api_key", atMs: nowMs },
      ...{ resourceId: inserted.id, name },
    });
    return inserted;
  });
  return { ...key, secret };
}
