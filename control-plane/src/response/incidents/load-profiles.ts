/** Loads the profiles of alerts that begin: their checks, the state of each location, certificates, labels. */
import type { AlertInstanceId } from "@svc/contract";
import type { Knex } from "knex";
import { readLocationNames } from "../../alerting/inputs/result-store.ts";
import type { AlertNotificationPayload } from "../../outbox/payload.ts";
import { hostOf } from "./dimensions.ts";
import { loadCertificates } from "./load-certificates.ts";
import { loadLocationStates } from "./load-location-states.ts";
import type { LocationState, MemberProfile, SeenCertificate } from "./member-profile.ts";
import { type AlertCheckRow, readAlertChecks } from "./profile-store.ts";
import type { TeamBatch } from "./team-batch.ts";

/** An alert that begins. */
export interface BeginningAlert {
  instanceId: AlertInstanceId;
  payload: AlertNotificationPayload;
}

/** The part of a profile that the check gives; the alert gives the rest. */
type CheckProfile = Omit<MemberProfile, "summary" | "locations">;

/**
 * Returns the profiles of the alerts, by instance. For an alert whose check was deleted the profile holds no more than its
 * notification says.
 */
export async function loadProfiles(
  trx: Knex,
  { teamId, nowMs }: TeamBatch,
  alerts: readonly BeginningAlert[],
): Promise<Map<AlertInstanceId, MemberProfile>> {
  const rows = await readAlertChecks(
    trx,
    teamId,
    alerts.map(({ instanceId }) => instanceId),
  );
  const names = await readLocationNames(trx, [...new Set(rows.flatMap(({ locationKeys }) => locationKeys))]);
  const states = await loadLocationStates(trx, { checks: rows, names, nowMs });
  const certificates = await loadCertificates(trx, rows);
  const byInstance = new Map(rows.map((row) => [row.instanceId, row]));
  return new Map(
    alerts.map(({ instanceId, payload }) => {
      const row = byInstance.get(instanceId);
      const ofCheck = row
        ? profileOfCheck(row, states.get(row.checkKey) ?? [], certificates.get(row.checkKey) ?? null)
        : profileOfPayload(payload);
      return [instanceId, { ...ofCheck, summary: summaryOf(payload), locations: payload.locations }];
    }),
  );
}

function profileOfCheck(
  row: AlertCheckRow,
  locationStates: LocationState[],
  certificate: SeenCertificate | null,
): CheckProfile {
  const { checkId, checkName, checkType, conditions, labels, targetUrl } = row;
  const host = hostOf(targetUrl);
  return { checkId, checkName, checkType, conditions, labels, host, locationStates, certificate };
}

function profileOfPayload({ check, targetUrl }: AlertNotificationPayload): CheckProfile {
  return {
    checkId: check.id,
    checkName: check.name,
    checkType: check.type,
    conditions: [],
    labels: [],
    host: hostOf(targetUrl),
    locationStates: [],
    certificate: null,
  };
}

function summaryOf({ context, summary }: AlertNotificationPayload): string {
  return typeof context.summary === "string" ? context.summary : summary;
}
