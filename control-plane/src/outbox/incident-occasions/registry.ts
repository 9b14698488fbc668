/**
 * The occasions on which channels are notified of an incident: each event of the incident, and two that are no events.
 * To add one: its file beside this one and one line here; an event also has its type in the contract's incident events.
 */
import { defineFamily, type IncidentEventType, incidentEventTypes } from "@svc/contract";
import { acknowledged } from "./acknowledged.ts";
import { alertAttached } from "./alert-attached.ts";
import { alertsRecovered } from "./alerts-recovered.ts";
import { autoResolved } from "./auto-resolved.ts";
import { closed } from "./closed.ts";
import type { OccasionDefinition } from "./define-occasion.ts";
import { membersRecovered } from "./members-recovered.ts";
import { noteAdded } from "./note-added.ts";
import { opened } from "./opened.ts";
import { reopened } from "./reopened.ts";
import { severityChanged } from "./severity-changed.ts";
import { unacknowledged } from "./unacknowledged.ts";

const family = defineFamily("incident occasion", [
  opened,
  alertAttached,
  severityChanged,
  unacknowledged,
  acknowledged,
  autoResolved,
  closed,
  reopened,
  noteAdded,
  alertsRecovered,
  membersRecovered,
]);

/** Name of an occasion. */
export type IncidentOccasionType = (typeof family.members)[number]["type"];

/** The occasions of an incident that channels are notified of, by type. */
export const incidentOccasions = family;

/** Returns the definition of an occasion with all traits that occasions may have. */
export function occasionOf(type: IncidentOccasionType): OccasionDefinition<IncidentOccasionType> {
  return family.get(type);
}

/** True when the occasion is an event of the incident: stored, exported and sent to machines. */
export function isIncidentEvent(type: string): type is IncidentEventType {
  return incidentEventTypes.find(type) !== undefined;
}

/** Returns the event whose payload a notification of the occasion has. */
export function eventOfOccasion(type: IncidentOccasionType): IncidentEventType {
  return occasionOf(type).standsFor ?? (type as IncidentEventType);
}
