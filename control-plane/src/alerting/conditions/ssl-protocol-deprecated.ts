import { defineCondition, placeNames } from "./condition.ts";

/** Oldest first, by the names that TLS libraries use. */
const PROTOCOLS = ["SSLv2", "SSLv3", "TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"];

/** The negotiated TLS version is older than `minProtocol`. */
export const sslProtocolDeprecated = defineCondition("ssl_protocol_deprecated", {
  isAboutFailure: false,
  recoversOn: "any_result",
  beginsWithTime: "at_results",
  needs: () => ({ tls: true }),
  mayBegin: () => true,
  holds: ({ minProtocol, severity = "critical" }, { locations }) => {
    const old = locations.filter(({ tls: [newest] }) => {
      const rank = PROTOCOLS.indexOf(newest?.facts.protocol ?? "");
      return rank >= 0 && rank < PROTOCOLS.indexOf(minProtocol);
    });
    if (old.length === 0) return undefined;
    const protocol = old[0]?.tls[0]?.facts.protocol;
    return {
      severity,
      threshold: minProtocol,
      observed: protocol,
      results: old.flatMap(({ locationKey, tls }) =>
        tls.slice(0, 1).map(({ firstSlotMs }) => ({ locationKey, slotMs: firstSlotMs })),
      ),
      summary: `${protocol} negotiated, older than ${minProtocol}, from ${placeNames(old)}`,
    };
  },
});
