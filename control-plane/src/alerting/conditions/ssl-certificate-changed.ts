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
  explain: (_condition, { locations, certificates, atMs }) => {
    const seen = locations.flatMap(({ locationKey }) => certificates(locationKey, atMs)[0] ?? []);
    const newest = seen.reduce<(typeof seen)[number] | undefined>(
      (last, one) => (last && last.firstSlotMs >= one.firstSlotMs ? last : one),
      undefined,
    );
    return {
      threshold: newest?.facts.fingerprintSha256 ?? null,
      observed: newest?.facts.fingerprintSha256 ?? null,
      missing: newest
        ? `a run that meets another certificate; the present one was first met at ${new Date(newest.firstSlotMs).toISOString()}`
        : "a certificate; no location has seen one",
    };
  },
  notReplayable: "which certificate a run met is known for changes only",
});
