/**
 * The derived events: telemetry events that are stored with their attributes. To add one: its file beside this one, one line
 * here, and its words in the contract's telemetry events.
 */
import { defineFamily, type TelemetryEventName } from "@svc/contract";
import { auditEvent } from "./audit-event.ts";
import { certificateChanged, certificateExpiringSoon, certificateObserved } from "./certificate-events.ts";
import { correlationDetected } from "./correlation-detected.ts";
import { credentialCreated, credentialRevoked } from "./credential-events.ts";
import type { ChangeEventDefinition } from "./define-change-event.ts";
import { type DerivedEventDefinition, summaryOfEvent } from "./define-derived-event.ts";
import { deploymentCreated } from "./deployment-created.ts";
import { INCIDENT_EVENTS } from "./incident-events.ts";
import { locationHealthChanged, locationStatusChanged } from "./location-events.ts";
import { sloBudgetWarning } from "./slo-budget-warning.ts";
import type { EventAttributes, EventValue } from "./store.ts";

type AnyDerivedEvent = DerivedEventDefinition<Record<string, EventValue>>;

/** All derived events. */
export const derivedEvents = defineFamily("derived event", [
  sloBudgetWarning,
  deploymentCreated,
  certificateObserved,
  certificateChanged,
  certificateExpiringSoon,
  correlationDetected,
  credentialCreated,
  credentialRevoked,
  locationHealthChanged,
  locationStatusChanged,
  auditEvent,
  ...INCIDENT_EVENTS,
] as readonly AnyDerivedEvent[]);

/** The derived events that follow from the change log. */
export const CHANGE_EVENTS = derivedEvents.members.filter(
  (event): event is AnyDerivedEvent & ChangeEventDefinition => "causedBy" in event,
);

/** Returns the line for people of a stored event; undefined for an event without a definition. */
export function findSummary(name: TelemetryEventName, attributes: EventAttributes): string | undefined {
  const definition = derivedEvents.find(name);
  return definition && summaryOfEvent(definition, attributes);
}
