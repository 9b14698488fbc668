/** The shape of an alert condition on the side of whoever writes one: its fields, and the words that describe it. */
import { type TypedMember, type TypedSchema, typedMember } from "../base/family-schema.ts";

/** Words about a condition. The first three are Markdown for the table in docs/alerting.md. */
export interface ConditionWords {
  /** The fields, each with its default in parentheses. */
  readonly fields: string;
  /** A clause that says when the condition holds. */
  readonly holdsWhen: string;
  /** Severity of an alert that the condition begins. */
  readonly severity: string;
  /**
   * The behaviour of a target that meets the condition although its checks succeed: a verb phrase, which follows the
   * target's name in the hypothesis of an incident. Absent for conditions that only failing runs, or certificates,
   * can meet.
   */
  readonly symptom?: string;
  /**
   * Subject of the condition when that is not the target itself: its certificate, or runs that the runners missed.
   * Incidents correlate such alerts in another way.
   */
  readonly subject?: "certificate" | "missing_runs";
}

/** The contract side of an alert condition: its schema and its words for docs, command line and incidents. */
export interface ConditionDefinition<Schema extends TypedSchema = TypedSchema>
  extends TypedMember<Schema>,
    ConditionWords {}

/**
 * Returns the definition of a condition. Its rule has the file of the same name in the control plane.
 * @param schema fields that a user may write; `type` is the condition's name
 */
export function defineCondition<Schema extends TypedSchema>(
  schema: Schema,
  words: ConditionWords,
): ConditionDefinition<Schema> {
  return typedMember(schema, words);
}
