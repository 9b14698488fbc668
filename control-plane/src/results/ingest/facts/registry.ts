/** The kinds of result facts. A further kind is a file beside this one and a line here. */
import { defineFamily } from "@svc/contract";
import type { Knex } from "knex";
import type { DetailAdditions, FactKind, StoredFact } from "./fact-kind.ts";
import { mcpFact } from "./mcp.ts";
import { tlsFact } from "./tls.ts";

export const FACT_KINDS = defineFamily("result fact", [mcpFact, tlsFact]);

/** Stores the facts, each as its kind asks, and returns what they add to the details of their results. */
export async function storeFacts(
  trx: Knex,
  facts: readonly StoredFact<unknown>[],
): Promise<DetailAdditions[]> {
  const additions: DetailAdditions[] = [];
  for (const kind of FACT_KINDS.members as readonly FactKind<unknown>[]) {
    const ofKind = facts.filter((fact) => fact.kind === kind.type);
    if (ofKind.length > 0) additions.push(await kind.store(trx, ofKind));
  }
  return additions;
}
