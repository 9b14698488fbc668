/** What the list of changes can be restricted to. */
import type { Change } from "@svc/contract";

/** Types of records with their words; one that is missing does not compile. */
const TYPE_WORDS: Readonly<Record<Change["type"], string>> = {
  check: "Checks",
  alert: "Alert rules",
  slo: "SLOs",
  channel: "Channels",
  location: "Locations",
  runner_key: "Runner keys",
  api_key: "API keys",
  maintenance_window: "Maintenance windows",
  spec: "API specs",
  telemetry: "Telemetry",
  secret: "Secrets",
  third_party_pattern: "Third-party patterns",
  alert_policy: "Alert policies",
  status_page: "Status pages",
  status_notice: "Notices of status pages",
  incident_policy: "Incident policy",
  rota: "Rotas",
  report_subscription: "Recipients of reports",
};

/** The types of records. */
export const CHANGED_TYPES: readonly (readonly [value: string, word: string])[] = [
  ["", "All"],
  ...Object.entries(TYPE_WORDS),
];

/** The sources of changes. */
export const SOURCES: readonly (readonly [value: string, word: string])[] = [
  ["", "Everywhere"],
  ["ui", "Dashboard"],
  ["yaml", "Deployed config"],
  ["api", "API"],
];
