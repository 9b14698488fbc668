/** Reads what is known about alerts that begin: their checks, what each location saw last, certificates, labels. */
import { type CheckType, HOUR_MS, isSuccessCode, STATUS_CODES, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import {
  type PlacedTlsObservation,
  readLocationNames,
  readNewestResults,
  readTlsObservations,
} from "../../alerting/inputs/result-store.ts";
import type { AlertNotificationPayload } from "../../outbox/payload.ts";
import { hostOf } from "./dimensions.ts";
import { type AlertFactsRow, readAlertFacts, readFailureDetails, sampleLocations } from "./fact-store.ts";
import {
  type CertificateFacts,
  type FailingLocations,
  failingPlaces,
  type MemberFacts,
  type PlaceFacts,
} from "./facts.ts";
import { findFailingLocations } from "./failing-locations.ts";
import { groupBy } from "./group-by.ts";

/** An alert that begins. */
export interface BeginningAlert {
  instanceId: string;
  payload: AlertNotificationPayload;
}

/** Results of a place that are looked at, to tell since when it fails. */
const RESULTS_PER_PLACE = 4;
const LOOK_BACK_MS_MIN = HOUR_MS;

type LocationNames = ReadonlyMap<number, { id: string; name: string }>;

/** @returns by instance; of an alert whose check is gone what its notification says */
export async function loadMembers(
  trx: Knex,
  teamId: TeamId,
  alerts: readonly BeginningAlert[],
  nowMs: number,
): Promise<Map<string, MemberFacts>> {
  const rows = await readAlertFacts(
    trx,
    teamId,
    alerts.map(({ instanceId }) => instanceId),
  );
  const names = await readLocationNames(trx, [...new Set(rows.flatMap(({ locationKeys }) => locationKeys))]);
  const places = await loadPlaces(trx, rows, names, nowMs);
  const certificates = await loadCertificates(trx, rows);
  const byInstance = new Map(rows.map((row) => [row.instanceId, row]));
  return new Map(
    alerts.map(({ instanceId, payload }) => {
      const row = byInstance.get(instanceId);
      const known = row
        ? factsOf(row, places.get(row.checkKey) ?? [], certificates.get(row.checkKey) ?? null)
        : factsOfPayload(payload);
      return [instanceId, { ...known, summary: summaryOf(payload), locations: payload.locations }];
    }),
  );
}

type KnownFacts = Omit<MemberFacts, "summary" | "locations">;

function factsOf(row: AlertFactsRow, places: PlaceFacts[], certificate: CertificateFacts | null): KnownFacts {
  const { checkId, checkName, checkType, conditions, labels, targetUrl } = row;
  return { checkId, checkName, checkType, conditions, labels, host: hostOf(targetUrl), places, certificate };
}

function factsOfPayload({ check, targetUrl }: AlertNotificationPayload): KnownFacts {
  return {
    ...{ checkId: check.id, checkName: check.name, checkType: check.type as CheckType },
    ...{ conditions: [], labels: [], host: hostOf(targetUrl), places: [], certificate: null },
  };
}

function summaryOf({ context, summary }: AlertNotificationPayload): string {
  return typeof context.summary === "string" ? context.summary : summary;
}

/** What each location of the checks saw last, by check. */
async function loadPlaces(
  trx: Knex,
  rows: readonly AlertFactsRow[],
  names: LocationNames,
  nowMs: number,
): Promise<Map<number, PlaceFacts[]>> {
  const checks = [...new Map(rows.map((row) => [row.checkKey, row])).values()];
  const results = await readNewestResults(
    trx,
    checks.flatMap(({ checkKey, locationKeys, frequencySeconds }) =>
      locationKeys.map((locationKey) => ({
        ...{ checkKey, locationKey, limit: RESULTS_PER_PLACE },
        fromMs: nowMs - Math.max(LOOK_BACK_MS_MIN, 2 * RESULTS_PER_PLACE * frequencySeconds * 1000),
      })),
    ),
    { onlySuccesses: false, withVitals: false },
  );
  const byPlace = groupBy(results, ({ checkKey, locationKey }) => `${checkKey}:${locationKey}`);
  const newest = [...byPlace.values()].flatMap((place) => {
    place.sort((a, b) => b.slotMs - a.slotMs);
    return place.slice(0, 1);
  });
  const details = await readFailureDetails(
    trx,
    newest.filter(({ status }) => !isSuccessCode(status)),
  );
  const detailOf = new Map(details.map((one) => [`${one.checkKey}:${one.locationKey}`, one]));
  const places = new Map<number, PlaceFacts[]>();
  for (const { checkKey, locationKey, status, slotMs, httpStatusCode } of newest) {
    const id = `${checkKey}:${locationKey}`;
    const streak = byPlace.get(id) ?? [];
    const isFailing = !isSuccessCode(status);
    const firstSuccess = streak.findIndex((result) => isSuccessCode(result.status));
    const failures = firstSuccess < 0 ? streak : streak.slice(0, firstSuccess);
    const place: PlaceFacts = {
      locationId: names.get(locationKey)?.id ?? String(locationKey),
      locationName: names.get(locationKey)?.name ?? String(locationKey),
      ...{ isFailing, slotMs, failingSinceMs: failures.at(-1)?.slotMs ?? null },
      errorCategory:
        detailOf.get(id)?.errorCategory ?? (isFailing ? CATEGORY_OF_STATUS[status] : null) ?? null,
      errorMessage: detailOf.get(id)?.errorMessage ?? null,
      httpStatusCode: isFailing ? httpStatusCode : null,
    };
    places.set(checkKey, [...(places.get(checkKey) ?? []), place]);
  }
  return places;
}

/** Of a result whose detail names none: a failure broke a rule, a timeout timed out. */
const CATEGORY_OF_STATUS: Record<number, string | undefined> = {
  [STATUS_CODES.failure]: "assertion",
  [STATUS_CODES.timeout]: "timeout",
};

/** The certificate that any location of the check saw last, by check. */
async function loadCertificates(
  trx: Knex,
  rows: readonly AlertFactsRow[],
): Promise<Map<number, CertificateFacts>> {
  const observed = await readTlsObservations(
    trx,
    rows.flatMap(({ checkKey, locationKeys }) =>
      locationKeys.map((locationKey) => ({ checkKey, locationKey, limit: 2, fromMs: 0 })),
    ),
  );
  const certificates = new Map<number, CertificateFacts>();
  for (const [checkKey, ofCheck] of groupBy(observed, (one) => one.checkKey)) {
    const newest = ofCheck.reduce((a, b) => (b.firstSlotMs > a.firstSlotMs ? b : a));
    certificates.set(checkKey, certificateOf(newest, ofCheck));
  }
  return certificates;
}

function certificateOf(
  { facts, firstSlotMs, locationKey }: PlacedTlsObservation,
  all: readonly PlacedTlsObservation[],
): CertificateFacts {
  const before = all.find((one) => one.locationKey === locationKey && one.firstSlotMs < firstSlotMs);
  const { fingerprintSha256, validTo, isTrusted, trustError } = facts;
  return {
    ...{ fingerprintSha256, validTo, isTrusted, trustError: trustError ?? null },
    changedAtMs: before && before.facts.fingerprintSha256 !== fingerprintSha256 ? firstSlotMs : null,
  };
}

/** Which of the locations that these alerts fail at fail as a whole; by id. */
export async function loadFailingLocations(
  trx: Knex,
  teamId: TeamId,
  members: Iterable<MemberFacts>,
  nowMs: number,
): Promise<FailingLocations> {
  const ids = new Set<string>();
  for (const member of members) {
    const failing = failingPlaces(member);
    if (failing.length === 1) ids.add((failing[0] as PlaceFacts).locationId);
  }
  if (ids.size === 0) return new Map();
  const keys: { key: number; id: string }[] = await trx("locations")
    .whereIn("id", [...ids])
    .select("key", "id");
  const found = findFailingLocations(
    await sampleLocations(
      trx,
      teamId,
      keys.map(({ key }) => key),
      nowMs,
    ),
  );
  return new Map(
    keys.flatMap(({ key, id }) => {
      const counts = found.get(key);
      return counts ? [[id, counts] as const] : [];
    }),
  );
}
