/** What happens to an incident; each is sent to webhook channels that subscribe. */
export const INCIDENT_EVENT_TYPES = [
  "opened",
  "alert_attached",
  "severity_changed",
  "acknowledged",
  "auto_resolved",
  "closed",
  "reopened",
  "note_added",
] as const;
export type IncidentEventType = (typeof INCIDENT_EVENT_TYPES)[number];
