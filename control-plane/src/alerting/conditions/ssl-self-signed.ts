import { defineCondition } from "./condition.ts";
import { namesOf, reportingResults, seenCertificates } from "./seen-certificates.ts";

/** OpenSSL's codes for a chain that leads to no trusted root. Expiry or a wrong name have codes of their own. */
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

/** Holds while the certificate is self-signed or leads to a root that is not trusted, as any location sees it. */
export const sslSelfSigned = defineCondition("ssl_self_signed", {
  isAboutFailure: false,
  recoversOn: "any_result",
  timeDriven: "at_results",
  needs: () => ({ certificates: true }),
  canBegin: () => true,
  match: ({ severity = "critical" }, input) => {
    const untrusted = seenCertificates(input).filter(
      ({ facts }) => facts.isSelfSigned || UNTRUSTED_ROOT.has(facts.trustError ?? ""),
    );
    const [first] = untrusted;
    if (!first) return undefined;
    const { isSelfSigned, trustError, issuer } = first.facts;
    return {
      severity,
      threshold: "a trusted root",
      observed: { isSelfSigned, trustError: trustError ?? null, issuer },
      results: reportingResults(untrusted),
      summary: `${isSelfSigned ? "certificate is self-signed" : "certificate's root is not trusted"}, seen from ${namesOf(untrusted)}`,
    };
  },
  explain: (_condition, input) => {
    const [first] = seenCertificates(input);
    return {
      threshold: "a trusted root",
      observed: first
        ? {
            isSelfSigned: first.facts.isSelfSigned,
            trustError: first.facts.trustError ?? null,
            issuer: first.facts.issuer,
          }
        : null,
      missing: first
        ? "a certificate that leads to no trusted root; that of each location does"
        : "a certificate; no location has seen one",
    };
  },
  notReplayable: "which certificate a run met is known for changes only",
});
