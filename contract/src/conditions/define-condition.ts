/** The shape of an alert condition on the side of whoever writes one: its fields, and the words that describe it. */

import { type TypedMember, type TypedSchema, typedMember } from "../base/family-schema.ts";
import type { Observation } from "../base/observation.ts";

/** Words about a condition. The first three are Markdown for the table in docs/alerting.md. */
export interface ConditionWords {
  /** The fields, each with its default in parentheses. */
  readonly fields: string;
  /** A clause that says when the condition holds. */
  readonly holdsWhen: string;
  /** Severity of an alert that the condition begins. */
  readonly severity: string;
  /**
   * How a target behaves that meets the condition while its checks still succeed: a verb phrase such as "answers slowly",
   * which the hypothesis of an incident puts after the target's name. Absent for conditions that only failing runs or
   * certificates can meet.
   */
  readonly symptom?: string;
  /**
   * The subject of the condition, when the target itself is not: the target's certificate, or runs that the runners missed.
   * Alerts with such a subject have other dimensions, by which incidents correlate them.
   */
  readonly subject?: "certificate" | "missing_runs";
  /** True for conditions that compare the results' metric of their field `metric` with its baseline, which is then kept. */
  readonly usesBaselines?: true;
  /** Why no alert policy, which is for many checks, may have the condition; absent: it may. */
  readonly notForPolicies?: string;
  /** Returns the observation that the condition is judged by, when only some checks make it. Absent: all checks do. */
  needs?(condition: { readonly type: string; readonly metric?: string }): Observation | undefined;
}

/** The contract side of an alert condition: its schema and its words for docs, command line and incidents. */
export interface ConditionDefinition<Schema extends TypedSchema = TypedSchema>
  extends TypedMember<Schema>,
    ConditionWords {}

/**
 * Returns the definition of a condition. Its rule has the file of that name in the control plane.
 * @param schema fields that a user may write; `type` is the condition's name
 */
export function defineCondition<Schema extends TypedSchema>(
  schema: Schema,
  words: ConditionWords,
): ConditionDefinition<Schema> {
  return typedMember(schema, words);
}
