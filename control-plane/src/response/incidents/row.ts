/** Incident rows and what the API shows of them. */
import type {
  Hypothesis,
  Incident,
  IncidentObservations,
  IncidentSnapshot,
  IncidentState,
  Severity,
  TeamId,
} from "@svc/contract";
import type { Dimension } from "./dimensions.ts";

/** A row of `incidents`. Instants: ISO 8601. */
export interface IncidentRow {
  key: number;
  id: string;
  teamId: TeamId;
  title: string;
  severity: Severity;
  state: IncidentState;
  /** What its members share. */
  dimensions: Dimension[];
  fingerprintHash: string;
  hypothesis: Hypothesis;
  observations: IncidentObservations;
  memberCount: number;
  openMemberCount: number;
  recurrenceOf: string[];
  /** Id of the incident that its alerts were folded into. */
  mergedInto: string | null;
  openedAt: string;
  acknowledgedAt: string | null;
  acknowledgedBy: string | null;
  /** Since when no member is open. */
  quietSince: string | null;
  resolvedAt: string | null;
  closedAt: string | null;
  closedBy: string | null;
  updatedAt: string | null;
}

/** Where people work on it. */
export function triageUrlOf(publicUrl: string, incidentId: string): string {
  return `${publicUrl}/incidents/${incidentId}`;
}

export function incidentFromRow(row: IncidentRow, publicUrl: string): Incident {
  const { key, dimensions, quietSince, ...shown } = row;
  return { ...shown, triageUrl: triageUrlOf(publicUrl, row.id) };
}

/** What receivers of an event see; the link is made when it is sent. */
export function snapshotOf({
  id,
  title,
  severity,
  state,
  openedAt,
}: IncidentRow): Omit<IncidentSnapshot, "triageUrl"> {
  return { incidentId: id, title, severity, state, openedAt };
}
