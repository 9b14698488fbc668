/** The states of an incident and every transition between them. Pure. */
import { DomainError, type IncidentState, MINUTE_MS, type Severity } from "@svc/contract";
import { worstOf } from "../../alerting/evaluation/severity.ts";

/** Time for which no member may have been open before the service resolves the incident. */
export const COOL_DOWN_MS = 5 * MINUTE_MS;

type IncidentAction = "acknowledge" | "auto_resolve" | "close" | "reopen";

const TRANSITIONS: Record<IncidentAction, { from: readonly IncidentState[]; to: IncidentState }> = {
  acknowledge: { from: ["open"], to: "acknowledged" },
  auto_resolve: { from: ["open", "acknowledged"], to: "resolved" },
  close: { from: ["open", "acknowledged", "resolved"], to: "closed" },
  reopen: { from: ["resolved", "closed"], to: "open" },
};

/**
 * Returns the state that the action leads to.
 * @throws DomainError `conflict` when the lifecycle has no such transition
 */
export function stateAfter(state: IncidentState, action: IncidentAction): IncidentState {
  const { from, to } = TRANSITIONS[action];
  if (from.includes(state)) return to;
  throw new DomainError("conflict", `Incident is ${state}; ${action} needs ${from.join(" or ")}`);
}

/** True when alerts may join an incident in this state. */
export function isActive(state: IncidentState): boolean {
  return state === "open" || state === "acknowledged";
}

/**
 * True when the cool-down of an active incident has passed.
 * @param quietSinceMs since when no member has been open, Unix ms; null while one is
 */
export function mayAutoResolve(state: IncidentState, quietSinceMs: number | null, nowMs: number): boolean {
  return isActive(state) && quietSinceMs !== null && nowMs - quietSinceMs >= COOL_DOWN_MS;
}

/**
 * Returns the severity of an incident: the highest of its open members.
 * @param before returned when no member is open
 */
export function severityOf(openMembers: readonly Severity[], before: Severity): Severity {
  return openMembers.length === 0 ? before : worstOf(openMembers);
}
