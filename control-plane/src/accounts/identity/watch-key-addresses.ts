/** Notices API keys that are used from an address for the first time, and records that in the audit log. */
import type { ApiKeyId } from "@svc/contract";
import { addressGroupOf } from "../../platform/address-group.ts";
import type { Caller } from "../../platform/http/caller.ts";
import type { Services } from "../../platform/services.ts";
import type { Author } from "../../platform/team-context.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { insertKeyAddress } from "./credential-store.ts";

/** Pairs of key and address that a process remembers, so that it asks the database once about each. */
const REMEMBERED_MAX = 20_000;

/** Looks at one request's key and address. */
export type NoticeKeyAddress = (
  caller: Extract<Caller, { kind: "api_key" }>,
  author: Author,
) => Promise<void>;

/** Returns the function that looks at each request. */
export function watchKeyAddresses(services: Services): NoticeKeyAddress {
  const known = new Set<string>();
  return async ({ apiKeyId, teamId }, author) => {
    const address = author.origin.address ?? "";
    const pair = `${apiKeyId} ${address}`;
    if (known.has(pair)) return;
    await recordFirstUse({ apiKeyId, address });
    if (known.size >= REMEMBERED_MAX) known.clear();
    known.add(pair);

    async function recordFirstUse(use: { apiKeyId: ApiKeyId; address: string }): Promise<void> {
      await services.knex.transaction(async (trx) => {
        const firstUsedAt = new Date(services.clock.nowMs());
        const group = addressGroupOf(use.address);
        const isNew = await insertKeyAddress(trx, { apiKeyId, address: group, firstUsedAt });
        if (!isNew) return;
        const action = "api_key.used_from_new_address";
        await recordAudit({ services, teamId, author }, { action, resourceId: apiKeyId }, trx);
      });
    }
  };
}
