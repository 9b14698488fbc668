/** The word, and the kind of mark, of every state that a page shows. A state never stands by its colour alone. */
import type {
  AlertState,
  CheckHealth,
  Delivery,
  IncidentState,
  Location,
  MissingReason,
  Notification,
  Result,
  Runner,
  Severity,
} from "@svc/contract";

/** Kind of a mark: decides shape and colour. */
type Mark = "good" | "failing" | "error" | "slow" | "unknown" | "quiet";

/** A state as it is shown. */
export interface StateWord {
  readonly word: string;
  readonly mark: Mark;
}

/** State of a check as people see it: its health, unless it is paused. */
export type CheckState = CheckHealth["health"] | "paused";

/** The states of checks. */
export const checkStates: Readonly<Record<CheckState, StateWord>> = {
  healthy: { word: "Healthy", mark: "good" },
  unhealthy: { word: "Unhealthy", mark: "failing" },
  unknown: { word: "Unknown", mark: "unknown" },
  paused: { word: "Paused", mark: "quiet" },
};

/** The statuses of results. */
export const resultStates: Readonly<Record<Result["status"], StateWord>> = {
  success: { word: "Success", mark: "good" },
  failure: { word: "Failure", mark: "failing" },
  error: { word: "Error", mark: "error" },
  timeout: { word: "Timeout", mark: "slow" },
};

/** The states of alerts. */
export const alertStates: Readonly<Record<AlertState, StateWord>> = {
  active: { word: "Active", mark: "failing" },
  acknowledged: { word: "Acknowledged", mark: "slow" },
  recovered: { word: "Recovered", mark: "good" },
  resolved: { word: "Resolved", mark: "good" },
};

/** The states of incidents. */
export const incidentStates: Readonly<Record<IncidentState, StateWord>> = {
  open: { word: "Open", mark: "failing" },
  acknowledged: { word: "Acknowledged", mark: "slow" },
  resolved: { word: "Resolved", mark: "good" },
  closed: { word: "Closed", mark: "quiet" },
};

/** The states of notifications, after all attempts so far. */
export const deliveryStates: Readonly<Record<Notification["status"], StateWord>> = {
  pending: { word: "Waiting", mark: "unknown" },
  delivered: { word: "Delivered", mark: "good" },
  failed: { word: "Failed", mark: "failing" },
  skipped: { word: "Not sent, it was over", mark: "quiet" },
};

/** The outcomes of single attempts to deliver. */
export const attemptStates: Readonly<Record<Delivery["status"], StateWord>> = {
  delivered: { word: "Delivered", mark: "good" },
  failed: { word: "Failed", mark: "failing" },
  skipped_dedupe: { word: "Skipped, delivered before", mark: "quiet" },
  held: { word: "Held by quiet hours", mark: "unknown" },
  skipped_over: { word: "Skipped, it was over", mark: "quiet" },
};

/** The health of locations. */
export const locationStates: Readonly<Record<Location["health"], StateWord>> = {
  active: { word: "Active", mark: "good" },
  degraded: { word: "Degraded", mark: "slow" },
  offline: { word: "Offline", mark: "failing" },
};

/** The states of runners. */
export const runnerStates: Readonly<Record<Runner["status"], StateWord>> = {
  online: { word: "Online", mark: "good" },
  draining: { word: "Draining", mark: "slow" },
  offline: { word: "Offline", mark: "failing" },
};

/** The severities of alerts and incidents. */
export const severityWords: Readonly<Record<Severity, string>> = {
  critical: "Critical",
  warning: "Warning",
  info: "Info",
};

/** Why a slot has no result, in a sentence. */
export const missingReasons: Readonly<Record<MissingReason, string>> = {
  location_retired: "The location was retired; nothing runs there any more.",
  no_runner: "No runner was connected at this location when it was due.",
  no_capable_runner: "No runner of this location can run checks of this type.",
  no_vault_runner: "No runner of this location can open the team's secrets; update it.",
  runner_capacity: "The runners of this location were too busy to run it and time it honestly.",
  runner_crash: "The runner crashed while it ran.",
  runner_oom: "The runner had not enough memory for it.",
  runner_network: "The runner's own network failed.",
  runner_lost: "The connection to the runner ended while it ran.",
  previous_run: "The run before it had not ended.",
  service_unavailable: "The service could not reach its database, so that no runner heard of it in time.",
  unknown: "Nothing is recorded about it.",
};

/** How SLOs stand. */
export const sloStates = {
  kept: { word: "OK", mark: "good" },
  atRisk: { word: "At risk", mark: "slow" },
  exhausted: { word: "Exhausted", mark: "failing" },
  noData: { word: "No data", mark: "unknown" },
  disabled: { word: "Disabled", mark: "quiet" },
} as const satisfies Record<string, StateWord>;
