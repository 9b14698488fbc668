/** Loads the profiles of alerts that begin: their checks, the state of each location, certificates, labels. */
import type { AlertInstanceId, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { readLocationNames } from "../../alerting/inputs/result-store.ts";
import { hostOf } from "../../checks/target-host.ts";
import { type AlertNotificationPayload, subjectNameOf } from "../../outbox/payload.ts";
import { loadCertificates } from "./load-certificates.ts";
import { loadLocationStates } from "./load-location-states.ts";
import type { LocationState, MemberProfile, SeenCertificate } from "./member-profile.ts";
import { type AlertCheckRow, readAlertChecks, readPatternsOfAlerts } from "./profile-store.ts";
import type { TeamBatch } from "./team-batch.ts";

/** An alert that begins. */
export interface BeginningAlert {
  instanceId: AlertInstanceId;
  payload: AlertNotificationPayload;
}

/** The part of a profile that the check gives; the alert gives the rest. */
type CheckProfile = Omit<MemberProfile, "summary" | "locations">;

/**
 * Returns the profiles of the alerts, by instance. For an alert of no check, or whose check was deleted, the profile holds no more than its
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
  const hosts = await loadThirdPartyHosts(trx, teamId, alerts);
  return new Map(
    alerts.map(({ instanceId, payload }) => {
      const row = byInstance.get(instanceId);
      const ofCheck = row
        ? profileOfCheck(row, states.get(row.checkKey) ?? [], certificates.get(row.checkKey) ?? null)
        : profileOfPayload(payload, hosts.get(instanceId));
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

/** Returns the host, or the domain, that each alert of a third party's SLO is about. */
async function loadThirdPartyHosts(
  trx: Knex,
  teamId: TeamId,
  alerts: readonly BeginningAlert[],
): Promise<Map<AlertInstanceId, string>> {
  const ids = alerts.flatMap(({ instanceId, payload }) => (payload.check === null ? [instanceId] : []));
  if (ids.length === 0) return new Map();
  const rows = await readPatternsOfAlerts(trx, teamId, ids);
  return new Map(rows.map(({ instanceId, hostPattern }) => [instanceId, hostPattern.replace(/^\*\./, "")]));
}

function profileOfPayload(payload: AlertNotificationPayload, thirdParty: string | undefined): CheckProfile {
  const { check, targetUrl } = payload;
  return {
    checkId: check?.id ?? null,
    checkName: subjectNameOf(payload),
    checkType: check?.type ?? null,
    conditions: [],
    labels: [],
    host: thirdParty ?? hostOf(targetUrl),
    locationStates: [],
    certificate: null,
  };
}

function summaryOf({ context, summary }: AlertNotificationPayload): string {
  return typeof context.summary === "string" ? context.summary : summary;
}
