/**
 * Definitions of derived events: one per event, with the attribute of each of its values and the line that says it to
 * people. A producer gives values by their property names; only the definition knows the attribute names. Pure.
 */
import type { FamilyMember, TelemetryEventName } from "@svc/contract";
import type { EventAttributes, EventValue } from "./store.ts";

/** The definition of one derived event: the attribute names of its values, and its line for people. */
export interface DerivedEventDefinition<Values extends Record<string, EventValue>> extends FamilyMember {
  readonly type: TelemetryEventName;
  /** The attribute of each value. */
  readonly attributes: { readonly [Property in keyof Values]-?: string };
  /** Returns one line for people. Values that the event lacks are undefined. */
  summary(values: Partial<Values>): string;
}

/** Returns the definition as it is; gives its values their types. */
export function defineDerivedEvent<Values extends Record<string, EventValue>>(
  definition: DerivedEventDefinition<Values>,
): DerivedEventDefinition<Values> {
  return definition;
}

/** Returns the values of an event as attributes. Properties that the definition does not have are left out. */
export function attributesOfEvent<Values extends Record<string, EventValue>>(
  { attributes }: DerivedEventDefinition<Values>,
  values: NoInfer<Values>,
): EventAttributes {
  return Object.fromEntries(
    Object.entries<string>(attributes).map(([property, name]) => [name, values[property]]),
  );
}

/** Returns the line for people of a stored event. */
export function summaryOfEvent<Values extends Record<string, EventValue>>(
  definition: DerivedEventDefinition<Values>,
  stored: EventAttributes,
): string {
  const values = Object.entries<string>(definition.attributes).map(
    ([property, name]) => [property, stored[name]] as const,
  );
  return definition.summary(Object.fromEntries(values) as Partial<Values>);
}
