/**
 * Definitions of events that follow from the change log, whoever changes the record and by which verb: the definition names
 * the changes, and `record-change-events.ts` records the event in their transaction. Pure.
 */
import type { ChangeAction, ChangeType, Severity } from "@svc/contract";
import { ATTR } from "../records/attributes.ts";
import { type DerivedEventDefinition, defineDerivedEvent } from "./define-derived-event.ts";

/** The changes that cause an event. */
interface ChangeCause {
  action: ChangeAction;
  types: readonly ChangeType[];
  severity: Severity;
}

/** Values that the event of any change carries. */
type ChangeValues = {
  resourceType: ChangeType;
  resourceId: string;
  resourceName: string | null;
  source: string;
  actor: string | null;
};

const CHANGE_ATTRIBUTES = {
  resourceType: ATTR.changeResourceType,
  resourceId: ATTR.changeResourceId,
  resourceName: ATTR.changeResourceName,
  source: ATTR.changeSource,
  actor: ATTR.changeActor,
};

/** A derived event together with the changes that cause it. */
export interface ChangeEventDefinition extends DerivedEventDefinition<ChangeValues> {
  readonly causedBy: ChangeCause;
}

/** Returns the definition of an event that is recorded with each change of these kinds. */
export function defineChangeEvent({
  causedBy,
  ...event
}: Omit<ChangeEventDefinition, "attributes">): ChangeEventDefinition {
  return { ...defineDerivedEvent<ChangeValues>({ ...event, attributes: CHANGE_ATTRIBUTES }), causedBy };
}
