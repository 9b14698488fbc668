/** Result facts: kinded evidence that travels with a result. The shape of a member of this family. */
import type { ResultDetail } from "@svc/contract";
import type { Knex } from "knex";
import type * as z from "zod";

/** A checked fact of one result of a group. */
export interface ResultFact<Value = unknown> {
  /** Row of its result in the group's columns. */
  row: number;
  /** Type of its kind. */
  kind: string;
  value: Value;
  /** The value as JSON, fit for the database. */
  json: string;
}

/** A fact whose result is new, with the key of that result. */
export interface StoredFact<Value> extends ResultFact<Value> {
  checkKey: number;
  locationKey: number;
  slotMs: number;
  /** Start of the run, Unix ms. */
  startedAtMs: number;
}

/** Additions to the details of results, by row. */
export type DetailAdditions = ReadonlyMap<number, Partial<ResultDetail>>;

/** One kind of facts. */
export interface FactStore<Value> {
  /** The kind on the wire, and the field of a result that is delivered over REST. */
  type: "tls" | "mcp";
  schema: z.ZodType<Value>;
  /** Stores facts of this kind in ingest's transaction, and returns what they add to the details of their results. */
  store(trx: Knex, facts: readonly StoredFact<Value>[]): Promise<DetailAdditions>;
}

/** Returns the facts of one kind. */
export function factsOf<Value>(
  facts: readonly ResultFact[],
  { type }: FactStore<Value>,
): ResultFact<Value>[] {
  return facts.filter((fact): fact is ResultFact<Value> => fact.kind === type);
}

export const NO_ADDITIONS: DetailAdditions = new Map();
