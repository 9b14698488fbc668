/** Result facts: kinded evidence that travels with a result. The shape of what stores the facts of one kind. */
import type { FactType, ResultDetail, ResultFacts } from "@svc/contract";
import type { Knex } from "knex";

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

/** Stores the facts of one kind. Their schema is the contract's. */
export interface FactStore<Value, Type extends FactType = FactType> {
  /** The kind on the wire, and the field of a result that is delivered over REST. */
  readonly type: Type;
  /** Stores facts of this kind in ingest's transaction, and returns what they add to the details of their results. */
  store(trx: Knex, facts: readonly StoredFact<Value>[]): Promise<DetailAdditions>;
}

/** Value of a fact of this kind, by the contract's schema. */
type FactOf<Type extends FactType> = NonNullable<ResultFacts[Type]>;

/** Returns the store of the facts of this kind. */
export function defineFactStore<const Type extends FactType>(
  type: Type,
  store: FactStore<FactOf<Type>>["store"],
): FactStore<FactOf<Type>, Type> {
  return { type, store };
}

/** Returns the facts of one kind. */
export function factsOf<Value>(
  facts: readonly ResultFact[],
  { type }: FactStore<Value>,
): ResultFact<Value>[] {
  return facts.filter((fact): fact is ResultFact<Value> => fact.kind === type);
}

/** Returned by the store of a kind that adds nothing to the details of results. */
export const NO_ADDITIONS: DetailAdditions = new Map();
