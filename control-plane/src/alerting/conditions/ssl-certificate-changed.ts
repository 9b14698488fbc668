import { defineCondition } from "./condition.ts";
import { locationNames } from "./location-names.ts";

/**
 * Holds at a run whose leaf certificate has another fingerprint than that of the run before at the same location; over with
 * the next run.
 */
export const sslCertificateChanged = defineCondition("ssl_certificate_changed", {
  isAboutFailure: false,
  recoversOn: "any_result",
  needs: () => ({ certificates: true, results: 1 }),
  canBegin: (_condition, newResult) => newResult.hasTlsFacts,
  match: ({ severity = "critical" }, { locations, certificates, atMs }) => {
    const changed = locations.flatMap((location) => {
      const [newest] = location.results;
      const [now, before] = certificates(location.locationKey, atMs);
      if (!newest || !now || !before || now.firstSlotMs !== newest.slotMs) return [];
      if (before.facts.fingerprintSha256 === now.facts.fingerprintSha256) return [];
      return [{ ...location, now: now.facts, before: before.facts, newest }];
    });
    const [first] = changed;
    if (!first) return undefined;
    return {
      severity,
      threshold: first.before.fingerprintSha256,
      observed: first.now.fingerprintSha256,
      results: changed.map(({ newest }) => newest),
      summary: `certificate changed, seen from ${locationNames(changed)}`,
    };
  },
});
