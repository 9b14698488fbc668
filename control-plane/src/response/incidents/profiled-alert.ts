/** Alerts that begin, as they are on their way into incidents. */
import type { Severity } from "@svc/contract";
import type { QueuedAlert } from "../../outbox/incident-queue-store.ts";
import type { AlertToCorrelate } from "./correlate.ts";
import type { MovedAlerts } from "./fold-incidents.ts";
import type { FailingLocations, MemberProfile } from "./member-profile.ts";
import type { MemberRow } from "./member-store.ts";
import type { TeamBatch } from "./team-batch.ts";

/** An alert that begins, with its profile. */
export interface ProfiledAlert extends AlertToCorrelate, Pick<QueuedAlert, "payload" | "channelIds"> {
  severity: Severity;
  profile: MemberProfile;
}

/** Alerts of one incident. The key of an incident that is yet to be opened is negative. */
export interface AlertGroup {
  key: number;
  alerts: readonly ProfiledAlert[];
}

/** A batch with what is known about its surroundings. */
export interface BeginningBatch extends TeamBatch {
  failing: FailingLocations;
  /** Alerts that join besides those that begin, because their incidents were folded. */
  moved: MovedAlerts;
}

/** Returns the row of a new member. */
export function memberRow(alert: ProfiledAlert, incidentKey: number, position: number): MemberRow {
  const { instanceId, ruleId, severity, channelIds, dimensions, profile, startedAtMs } = alert;
  return {
    instanceId,
    incidentKey,
    position,
    ruleId,
    severity,
    channelIds,
    profile,
    checkId: profile.checkId,
    startedAt: new Date(startedAtMs).toISOString(),
    acknowledgedAt: null,
    endedAt: null,
    dimensions: [...dimensions],
  };
}
