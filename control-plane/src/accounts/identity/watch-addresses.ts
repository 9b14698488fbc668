/** Notices API keys and display links that are used from an address for the first time, and records that in the audit log. */
import { addressGroupOf } from "../../platform/address-group.ts";
import { actorIdOf, type Caller } from "../../platform/http/caller.ts";
import type { Services } from "../../platform/services.ts";
import type { Author } from "../../platform/team-context.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { insertAddress } from "./credential-store.ts";

/** Pairs of credential and address that a process remembers, so that it asks the database once about each. */
const REMEMBERED_MAX = 20_000;

const ACTIONS = {
  api_key: "api_key.used_from_new_address",
  display: "display_link.used_from_new_address",
} as const;

/** Looks at one request's credential and address. */
export type NoticeAddress = (
  caller: Extract<Caller, { kind: keyof typeof ACTIONS }>,
  author: Author,
) => Promise<void>;

/** Returns the function that looks at each request. */
export function watchAddresses(services: Services): NoticeAddress {
  const known = new Set<string>();
  return async (caller, author) => {
    const { kind, teamId } = caller;
    const id = actorIdOf(caller);
    const address = author.origin.address ?? "";
    const pair = `${id} ${address}`;
    if (known.has(pair)) return;
    await services.knex.transaction(async (trx) => {
      const firstUsedAt = new Date(services.clock.nowMs());
      const isNew = await insertAddress(trx, { kind, id, address: addressGroupOf(address), firstUsedAt });
      if (!isNew) return;
      await recordAudit({ services, teamId, author }, { action: ACTIONS[kind], resourceId: id }, trx);
    });
    if (known.size >= REMEMBERED_MAX) known.clear();
    known.add(pair);
  };
}
