/** The states of an incident and every way between them. Pure. */
import { DomainError, type IncidentState, type Severity } from "@svc/contract";

/** All members over for this long: the incident is over, too. */
export const COOL_DOWN_MS = 300_000;

export type IncidentAction = "acknowledge" | "auto_resolve" | "close" | "reopen";

const WAYS: Record<IncidentAction, { from: readonly IncidentState[]; to: IncidentState }> = {
  acknowledge: { from: ["open"], to: "acknowledged" },
  auto_resolve: { from: ["open", "acknowledged"], to: "resolved" },
  close: { from: ["open", "acknowledged", "resolved"], to: "closed" },
  reopen: { from: ["resolved", "closed"], to: "open" },
};

/** The state after it. @throws DomainError conflict */
export function stateAfter(state: IncidentState, action: IncidentAction): IncidentState {
  const { from, to } = WAYS[action];
  if (from.includes(state)) return to;
  throw new DomainError("conflict", `Incident is ${state}; ${action} needs ${from.join(" or ")}`);
}

/** Alerts may join it. */
export function isActive(state: IncidentState): boolean {
  return state === "open" || state === "acknowledged";
}

/** Whether the cool-down has passed. @param quietSinceMs since when no member is open; null: one is */
export function mayAutoResolve(state: IncidentState, quietSinceMs: number | null, nowMs: number): boolean {
  return isActive(state) && quietSinceMs !== null && nowMs - quietSinceMs >= COOL_DOWN_MS;
}

const RANK: Record<Severity, number> = { critical: 2, warning: 1, info: 0 };

/** The highest of its open members; with none of them open it stays what it was. */
export function severityOf(openMembers: readonly Severity[], before: Severity): Severity {
  const [first, ...rest] = openMembers;
  if (first === undefined) return before;
  return rest.reduce((worst, severity) => (RANK[severity] > RANK[worst] ? severity : worst), first);
}
