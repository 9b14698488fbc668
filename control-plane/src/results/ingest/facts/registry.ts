/** The stores of result facts. To add one: its file beside this one, one line here, and its kind in the contract. */
import { defineFamily } from "@svc/contract";
import type { Knex } from "knex";
import type { DetailAdditions, FactStore, StoredFact } from "./fact-store.ts";
import { mcpFactStore } from "./mcp.ts";
import { requestsFactStore } from "./requests.ts";
import { tlsFactStore } from "./tls.ts";

/** The stores, one per kind of result fact. */
export const factStores = defineFamily("result fact", [mcpFactStore, tlsFactStore, requestsFactStore]);

/**
 * Stores facts by the stores of their kinds.
 * @returns one entry per kind that has facts: the additions to the details of the results that carried them
 */
export async function storeFacts(
  trx: Knex,
  facts: readonly StoredFact<unknown>[],
): Promise<DetailAdditions[]> {
  const additions: DetailAdditions[] = [];
  for (const { type, store } of factStores.members as readonly FactStore<unknown>[]) {
    const ofKind = facts.filter((fact) => fact.kind === type);
    if (ofKind.length > 0) additions.push(await store(trx, ofKind));
  }
  return additions;
}
