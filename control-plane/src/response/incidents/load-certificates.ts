/** Loads the certificates that checks saw last. */
import { groupBy } from "@svc/contract";
import type { Knex } from "knex";
import { readTlsObservations, type TlsObservation } from "../../alerting/inputs/result-store.ts";
import type { SeenCertificate } from "./member-profile.ts";
import type { AlertCheckRow } from "./profile-store.ts";

/** Returns the certificate that any location of a check saw last, by check key. */
export async function loadCertificates(
  trx: Knex,
  checks: readonly Pick<AlertCheckRow, "checkKey" | "locationKeys">[],
): Promise<Map<number, SeenCertificate>> {
  const observed = await readTlsObservations(
    trx,
    checks.flatMap(({ checkKey, locationKeys }) =>
      locationKeys.map((locationKey) => ({ checkKey, locationKey, limit: 2, fromMs: 0 })),
    ),
  );
  return new Map(
    [...groupBy(observed, ({ checkKey }) => checkKey)].map(([checkKey, ofCheck]) => [
      checkKey,
      certificateOf(ofCheck),
    ]),
  );
}

/** @param observed observations of one check, at least one */
function certificateOf(observed: readonly TlsObservation[]): SeenCertificate {
  const newest = observed.reduce((a, b) => (b.firstSlotMs > a.firstSlotMs ? b : a));
  const { facts, firstSlotMs, locationKey } = newest;
  const before = observed.find((one) => one.locationKey === locationKey && one.firstSlotMs < firstSlotMs);
  const { fingerprintSha256, validTo, isTrusted, trustError } = facts;
  const wasChanged = before && before.facts.fingerprintSha256 !== fingerprintSha256;
  return {
    fingerprintSha256,
    validTo,
    isTrusted,
    trustError: trustError ?? null,
    changedAtMs: wasChanged ? firstSlotMs : null,
  };
}
