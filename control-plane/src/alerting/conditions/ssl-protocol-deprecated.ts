import { defineCondition } from "./condition.ts";
import { namesOf, reportingResults, seenCertificates } from "./seen-certificates.ts";

/** Oldest first, by the names that TLS libraries use. */
const PROTOCOLS = ["SSLv2", "SSLv3", "TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"];

/** Holds while any location negotiates a TLS version older than `minProtocol`. */
export const sslProtocolDeprecated = defineCondition("ssl_protocol_deprecated", {
  isAboutFailure: false,
  recoversOn: "any_result",
  timeDriven: "at_results",
  needs: () => ({ certificates: true }),
  canBegin: () => true,
  match: ({ minProtocol, severity = "critical" }, input) => {
    const old = seenCertificates(input).filter(({ facts }) => {
      const rank = PROTOCOLS.indexOf(facts.protocol);
      return rank >= 0 && rank < PROTOCOLS.indexOf(minProtocol);
    });
    const [first] = old;
    if (!first) return undefined;
    const { protocol } = first.facts;
    return {
      severity,
      threshold: minProtocol,
      observed: protocol,
      results: reportingResults(old),
      summary: `${protocol} negotiated, older than ${minProtocol}, from ${namesOf(old)}`,
    };
  },
  explain: ({ minProtocol }, input) => {
    const seen = seenCertificates(input).map(({ facts: { protocol } }) => protocol);
    const [oldest] = seen.sort((a, b) => PROTOCOLS.indexOf(a) - PROTOCOLS.indexOf(b));
    return {
      threshold: minProtocol,
      observed: oldest ?? null,
      missing: oldest
        ? `a version older than ${minProtocol}; the oldest that was negotiated is ${oldest}`
        : "a connection over TLS; no location has made one",
    };
  },
  notReplayable: "which certificate a run met is known for changes only",
});
