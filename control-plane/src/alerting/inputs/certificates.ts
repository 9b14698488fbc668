/** Input source: the certificate and the connection that each location saw. */
import type { TlsFacts } from "@svc/contract";
import { checkLocationId } from "../../platform/check-location.ts";
import type { InputSource } from "./input-source.ts";
import { isSuccess, type StoredResult } from "./judged-result.ts";
import { groupByCheckLocation, readTlsObservations } from "./result-store.ts";

/** TLS facts that a location saw, from a slot on. */
export interface CertificateObservation {
  firstSlotMs: number;
  facts: TlsFacts;
}

/** Returns the observations of a location known at an instant, newest first: the present one and the one before it. */
export type CertificateLookup = (locationKey: number, atMs: number) => readonly CertificateObservation[];

/** The present observation, and the one before it, by which a change shows. */
const OBSERVATIONS_MIN = 2;

/** Loads the newest certificates that each location saw: enough to compare every new result with the one before. */
export const certificates: InputSource<true, CertificateLookup> = {
  combine: () => true,
  none: () => [],
  load: async (trx, checks) => {
    const observations = await readTlsObservations(
      trx,
      checks.flatMap(({ check, newResults }) =>
        check.locationKeys.map((locationKey) => {
          const newCount = newResults.filter((result) => result.locationKey === locationKey).length;
          return { checkKey: check.key, locationKey, limit: OBSERVATIONS_MIN + newCount, fromMs: 0 };
        }),
      ),
    );
    const byLocation = groupByCheckLocation(observations);
    return new Map(
      checks.map(({ check, resultsAt }) => [
        check.key,
        (locationKey: number, atMs: number) => {
          if (isWithoutTls(resultsAt(locationKey)[0])) return [];
          return knownAt(byLocation.get(checkLocationId({ checkKey: check.key, locationKey })) ?? [], atMs);
        },
      ]),
    );
  },
};

/**
 * True when the newest result came without TLS, because the check was moved to http: certificates seen before say nothing
 * any more. Only a success tells: a handshake that fails has no duration, and the certificate seen in it counts.
 */
function isWithoutTls(newest: StoredResult | undefined): boolean {
  return newest !== undefined && isSuccess(newest) && newest.tlsHandshakeUs === null;
}

function knownAt(
  newestFirst: readonly CertificateObservation[],
  atMs: number,
): readonly CertificateObservation[] {
  const from = newestFirst.findIndex(({ firstSlotMs }) => firstSlotMs <= atMs);
  if (from < 0) return [];
  return from === 0 ? newestFirst : newestFirst.slice(from);
}
