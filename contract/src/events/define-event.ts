/** The shape of an event in the families of events: its name, and the words that the documentation has for it. */
import type { FamilyMember } from "../base/family.ts";

interface EventDefinition<Type extends string = string> extends FamilyMember {
  readonly type: Type;
  /** A clause in Markdown that says when the event happens. */
  readonly when: string;
}

/** An event that leaves as a log record. */
export interface TelemetryEventDefinition<Type extends string = string> extends EventDefinition<Type> {
  /** The severities that the record can have, in Markdown. */
  readonly severity: string;
}
