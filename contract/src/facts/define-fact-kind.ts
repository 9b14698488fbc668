/**
 * The shape of a kind of result fact: evidence that a runner sends beside a result, mostly when it differs from the
 * last one sent.
 */
import type * as z from "zod";
import type { FamilyMember } from "../base/family.ts";

/** The contract side of a kind of result fact: its name and its schema. */
export interface FactKindDefinition<Type extends string = string, Schema extends z.ZodType = z.ZodType>
  extends FamilyMember {
  /** The kind's name on the wire. */
  readonly type: Type;
  readonly schema: Schema;
  /** True when each run has a fact of its own, which a runner sends even when it equals the one before. Default false. */
  readonly isOfEachRun?: boolean;
  /** A sentence for the API reference. */
  readonly description: string;
}

/** Returns the definition of a kind of result fact. The ingest of the control plane stores each kind. */
export function defineFactKind<Type extends string, Schema extends z.ZodType>(
  kind: FactKindDefinition<Type, Schema>,
): FactKindDefinition<Type, Schema> {
  return kind;
}
