/** Rows of incidents, and what the API and receivers of events see of them. */
import {
  type Hypothesis,
  type Incident,
  type IncidentId,
  type IncidentObservations,
  type IncidentSnapshot,
  type IncidentState,
  pagePath,
  type Severity,
  type TeamId,
} from "@svc/contract";
import type { Dimension } from "./dimensions.ts";

/** A row of `incidents`. Instants are ISO 8601. */
export interface IncidentRow {
  key: number;
  id: IncidentId;
  teamId: TeamId;
  title: string;
  severity: Severity;
  state: IncidentState;
  /** Dimensions that the members share. */
  dimensions: Dimension[];
  fingerprintHash: string;
  hypothesis: Hypothesis;
  observations: IncidentObservations;
  memberCount: number;
  openMemberCount: number;
  recurrenceOf: IncidentId[];
  /** The incident that this one was folded into. */
  mergedInto: IncidentId | null;
  openedAt: string;
  acknowledgedAt: string | null;
  acknowledgedBy: string | null;
  /** Name of that person or channel, as it is now. */
  acknowledgedByName: string | null;
  /** Since when no member has been open; null while one is. */
  quietSince: string | null;
  resolvedAt: string | null;
  closedAt: string | null;
  closedBy: string | null;
  /** Name of that person, as it is now. */
  closedByName: string | null;
  updatedAt: string | null;
}

/** Returns the page where people work on the incident. */
export function triageUrlOf(publicUrl: string, incidentId: IncidentId): string {
  return publicUrl + pagePath("incident", { id: incidentId });
}

/** Returns the incident as the API answers it. */
export function incidentFromRow(row: IncidentRow, publicUrl: string): Incident {
  const { key, dimensions, quietSince, ...shown } = row;
  return { ...shown, triageUrl: triageUrlOf(publicUrl, row.id) };
}

/** Returns the part of an incident that receivers of its events see. The link is added when the event is sent. */
export function snapshotOf(row: IncidentRow): Omit<IncidentSnapshot, "triageUrl"> {
  const { id, title, severity, state, openedAt } = row;
  return { incidentId: id, title, severity, state, openedAt };
}
