/** Definitions of the events of incidents: one for each type of incident event. */
import {
  type IncidentEventId,
  type IncidentEventType,
  type IncidentId,
  type IncidentNoteId,
  incidentEventTypes,
} from "@svc/contract";
import { ATTR } from "../records/attributes.ts";
import { type DerivedEventDefinition, defineDerivedEvent } from "./define-derived-event.ts";

/** The incident's state after the event, and details of the event. */
export type IncidentEventValues = {
  id: IncidentId;
  eventId: IncidentEventId;
  title: string;
  severity: string;
  state: string;
  openedAt: string;
  fingerprintHash: string | null;
  memberCount: number;
  openMemberCount: number;
  recurrenceOf: readonly IncidentId[];
  hypothesisSummary: string;
  hypothesisConfidence: number | string;
  hypothesisDimensions: readonly string[];
  actorType: string;
  actorId: string | null;
  previousSeverity: string | undefined;
  previousState: string | undefined;
  noteId: IncidentNoteId | undefined;
  noteBody: string | undefined;
};

const ATTRIBUTES = {
  id: ATTR.incidentId,
  eventId: ATTR.incidentEventId,
  title: ATTR.incidentTitle,
  severity: ATTR.incidentSeverity,
  state: ATTR.incidentState,
  openedAt: ATTR.incidentOpenedAt,
  fingerprintHash: ATTR.incidentFingerprintHash,
  memberCount: ATTR.incidentMemberCount,
  openMemberCount: ATTR.incidentOpenMemberCount,
  recurrenceOf: ATTR.incidentRecurrenceOf,
  hypothesisSummary: ATTR.incidentHypothesisSummary,
  hypothesisConfidence: ATTR.incidentHypothesisConfidence,
  hypothesisDimensions: ATTR.incidentHypothesisDimensions,
  actorType: ATTR.incidentActorType,
  actorId: ATTR.incidentActorId,
  previousSeverity: ATTR.incidentPreviousSeverity,
  previousState: ATTR.incidentPreviousState,
  noteId: ATTR.incidentNoteId,
  noteBody: ATTR.incidentNoteBody,
};

/** The definitions in the order of the incident events. */
export const INCIDENT_EVENTS: readonly DerivedEventDefinition<IncidentEventValues>[] =
  incidentEventTypes.types.map(incidentEvent);

/** Returns the definition of the log record of an incident event. */
export function incidentEvent(type: IncidentEventType): DerivedEventDefinition<IncidentEventValues> {
  return defineDerivedEvent<IncidentEventValues>({
    type: `synthetics.incident.${type}`,
    attributes: ATTRIBUTES,
    summary: ({ title }) => `${title}: ${type.replaceAll("_", " ")}`,
  });
}
