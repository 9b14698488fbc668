export {
  alertFields,
  changedAt,
  channelFields,
  type Fields,
  incidentPolicyFields,
  KIND_WORDS,
  monitorFields,
  patternFields,
  policyFields,
  rotaFields,
  sloFields,
  statusPageFields,
  windowFields,
} from "./compared-fields.ts";
export { computePlan } from "./compute-plan.ts";
export { type DeployState, joinState, NO_STATE } from "./deploy-state.ts";
export { driftOf } from "./drift.ts";
export { type FieldChange, fieldChanges } from "./field-changes.ts";
export { fingerprint } from "./fingerprint.ts";
export { PlanError } from "./plan-error.ts";
export { createdSchedule, driftJson, planChangesJson, summaryOf } from "./plan-json.ts";
export type {
  AlertChange,
  ChannelChange,
  CheckChange,
  Drift,
  IncidentPolicyChange,
  PatternChange,
  Plan,
  PlannedChange,
  PolicyChange,
  RotaChange,
  SloChange,
  StatusPageChange,
  WindowChange,
} from "./planned-change.ts";
export type { Remote } from "./remote.ts";
export { createSecrets, type Secrets } from "./secrets.ts";
