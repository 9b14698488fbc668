/** Events in the life of an incident; each is sent to the webhook channels that subscribe, and exported as a log record. */
import { defineFamily } from "../base/family.ts";

/** The events in the life of an incident, in the order in which they are documented. */
export const incidentEventTypes = defineFamily("incident event", [
  { type: "opened", when: "an alert began that belongs to no other incident" },
  { type: "alert_attached", when: "one or more alerts joined; those that come at once are one event" },
  { type: "severity_changed", when: "the highest severity of its open alerts rose or fell" },
  {
    type: "unacknowledged",
    when: "nobody had acknowledged the incident when a step of the incident policy was due",
  },
  { type: "acknowledged", when: "someone acknowledged the incident" },
  { type: "auto_resolved", when: "no alert has been open for 5 minutes" },
  { type: "closed", when: "someone closed the incident, or it was folded into another" },
  { type: "reopened", when: "someone reopened the incident" },
  { type: "note_added", when: "someone added a note" },
]);
/** Type of an event in the life of an incident. */
export type IncidentEventType = (typeof incidentEventTypes)["types"][number];
