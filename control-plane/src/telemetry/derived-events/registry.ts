/** The derived events. An event that is stored with its attributes has its definition here. */
import type { TelemetryEventName } from "@svc/contract";
import { certificateChanged, certificateExpiringSoon, certificateObserved } from "./certificate-events.ts";
import { correlationDetected } from "./correlation-detected.ts";
import { type DerivedEventDefinition, summaryOfEvent } from "./define-derived-event.ts";
import { deploymentCreated } from "./deployment-created.ts";
import { INCIDENT_EVENTS } from "./incident-events.ts";
import { sloBudgetWarning } from "./slo-budget-warning.ts";
import type { EventAttributes, EventValue } from "./store.ts";

export const derivedEvents: readonly DerivedEventDefinition<Record<string, EventValue>>[] = [
  sloBudgetWarning,
  deploymentCreated,
  certificateObserved,
  certificateChanged,
  certificateExpiringSoon,
  correlationDetected,
  ...INCIDENT_EVENTS,
];

const BY_NAME = new Map(derivedEvents.map((definition) => [definition.name, definition]));

/** Returns the line for people of a stored event; undefined for an event without a definition. */
export function findSummary(name: TelemetryEventName, attributes: EventAttributes): string | undefined {
  const definition = BY_NAME.get(name);
  return definition && summaryOfEvent(definition, attributes);
}
