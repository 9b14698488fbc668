/** The kinds of result facts. A further kind is a file beside this one and a line here. */
import { defineFamily } from "@svc/contract";
import type { Knex } from "knex";
import type { DetailAdditions, FactStore, StoredFact } from "./fact-store.ts";
import { mcpFactStore } from "./mcp.ts";
import { tlsFactStore } from "./tls.ts";

export const factStores = defineFamily("result fact", [mcpFactStore, tlsFactStore]);

/** Stores the facts, each as its kind asks, and returns what they add to the details of their results. */
export async function storeFacts(
  trx: Knex,
  facts: readonly StoredFact<unknown>[],
): Promise<DetailAdditions[]> {
  const additions: DetailAdditions[] = [];
  for (const kind of factStores.members as readonly FactStore<unknown>[]) {
    const ofKind = facts.filter((fact) => fact.kind === kind.type);
    if (ofKind.length > 0) additions.push(await kind.store(trx, ofKind));
  }
  return additions;
}
