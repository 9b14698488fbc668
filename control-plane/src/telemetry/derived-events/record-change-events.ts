import type { ChangeObserver, ObservedChange } from "../../platform/change-observer.ts";
import { attributesOfEvent } from "./define-derived-event.ts";
import { CHANGE_EVENTS } from "./registry.ts";
import { type DerivedEvent, recordDerivedEvents } from "./store.ts";

/** Records the telemetry events that a change causes, in the change's transaction. */
export const recordChangeEvents: ChangeObserver = async (trx, change) => {
  await recordDerivedEvents(trx, eventsOf(change));
};

function eventsOf({ teamId, action, type, atMs, ...change }: ObservedChange): DerivedEvent[] {
  return CHANGE_EVENTS.filter(
    ({ causedBy }) => causedBy.action === action && causedBy.types.includes(type),
  ).map((event) => ({
    teamId,
    name: event.type,
    severity: event.causedBy.severity,
    attributes: attributesOfEvent(event, {
      resourceType: type,
      resourceId: change.resourceId,
      resourceName: change.name,
      source: change.source,
      actor: change.actor,
    }),
    occurredAtMs: atMs,
  }));
}
