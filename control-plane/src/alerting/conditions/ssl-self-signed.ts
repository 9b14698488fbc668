import { defineCondition, placeNames } from "./condition.ts";

/** OpenSSL's verdicts that mean: the chain leads to no root that is trusted. Expiry or a wrong name are other matters. */
const UNTRUSTED_ROOT = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "CERT_UNTRUSTED",
  "INVALID_CA",
  "INVALID_PURPOSE",
]);

/** The certificate is self-signed or leads to a root that is not trusted. */
export const sslSelfSigned = defineCondition("ssl_self_signed", {
  isAboutFailure: false,
  recoversOn: "any_result",
  beginsWithTime: "at_results",
  needs: () => ({ tls: true }),
  mayBegin: () => true,
  holds: ({ severity = "critical" }, { locations }) => {
    const seeing = locations.filter(({ tls: [newest] }) => {
      return newest && (newest.facts.isSelfSigned || UNTRUSTED_ROOT.has(newest.facts.trustError ?? ""));
    });
    const [first] = seeing;
    const newest = first?.tls[0];
    if (!newest) return undefined;
    const { isSelfSigned, trustError, issuer } = newest.facts;
    return {
      severity,
      threshold: "a trusted root",
      observed: { isSelfSigned, trustError: trustError ?? null, issuer },
      results: seeing.flatMap(({ locationKey, tls }) =>
        tls.slice(0, 1).map(({ firstSlotMs }) => ({ locationKey, slotMs: firstSlotMs })),
      ),
      summary: `${isSelfSigned ? "certificate is self-signed" : "certificate's root is not trusted"}, seen from ${placeNames(seeing)}`,
    };
  },
});
