import { defineCondition, placeNames } from "./condition.ts";

/** The leaf certificate's fingerprint differs from that of the run before at the same location. Over with the next run. */
export const sslCertificateChanged = defineCondition("ssl_certificate_changed", {
  isAboutFailure: false,
  recoversOn: "any_result",
  needs: () => ({ tls: true, results: 1 }),
  mayBegin: (_condition, fresh) => fresh.hasTlsFacts,
  holds: ({ severity = "critical" }, { locations }) => {
    const changed = locations.filter(({ results: [newest], tls: [now, before] }) => {
      const isNews = newest && now && now.firstSlotMs === newest.slotMs;
      return isNews && before && before.facts.fingerprintSha256 !== now.facts.fingerprintSha256;
    });
    if (changed.length === 0) return undefined;
    return {
      severity,
      threshold: changed[0]?.tls[1]?.facts.fingerprintSha256,
      observed: changed[0]?.tls[0]?.facts.fingerprintSha256,
      results: changed.flatMap(({ results }) => results.slice(0, 1)),
      summary: `certificate changed, seen from ${placeNames(changed)}`,
    };
  },
});
