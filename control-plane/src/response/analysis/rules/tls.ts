/** The handshake or the certificate: it fails, or soon will. */
import { counted, DAY_MS } from "@svc/contract";
import { type AnalysisFacts, failingPlaces } from "../facts.ts";
import { type AnalysisRule, at, type Finding, failureLine, mostly, sureness, targetOf } from "../finding.ts";

const SOON_DAYS = 14;
const URGENT_DAYS = 3;

export const tls: AnalysisRule = (facts) => {
  const failing = failingPlaces(facts);
  const isWidespread = failing.length * 2 > facts.places.length;
  if (!isWidespread || !mostly(failing, ({ newest }) => newest.category === "tls")) return expiring(facts);
  const why = certificateTrouble(facts) ?? "the TLS handshake fails";
  return {
    type: "tls",
    severity: "critical",
    confidence: sureness(failing, 0.75),
    summary: `No secure connection to ${targetOf(facts)}: ${why}.`,
    evidence: [...failing.map(failureLine), ...certificateLine(facts)],
  };
};

/** All is well, but not for long. */
function expiring(facts: AnalysisFacts): Finding | undefined {
  const { certificate, nowMs } = facts;
  if (!certificate) return undefined;
  const days = Math.floor((certificate.validToMs - nowMs) / DAY_MS);
  if (days >= SOON_DAYS) return undefined;
  return {
    type: "tls",
    severity: days < URGENT_DAYS ? "critical" : "warning",
    confidence: 0.7,
    summary:
      days < 0
        ? `The certificate of ${targetOf(facts)} expired at ${at(certificate.validToMs)}.`
        : `The certificate of ${targetOf(facts)} expires in ${counted(days, "day")}, at ${at(certificate.validToMs)}.`,
    evidence: certificateLine(facts),
  };
}

function certificateTrouble({ certificate, nowMs }: AnalysisFacts): string | undefined {
  if (!certificate) return undefined;
  if (certificate.validToMs <= nowMs) return `its certificate expired at ${at(certificate.validToMs)}`;
  if (certificate.isTrusted) return undefined;
  return `its certificate is not trusted${certificate.trustError === null ? "" : ` (${certificate.trustError})`}`;
}

function certificateLine({ certificate }: AnalysisFacts): string[] {
  if (!certificate) return [];
  const trust = certificate.isTrusted
    ? "trusted"
    : `not trusted (${certificate.trustError ?? "no reason given"})`;
  return [`certificate seen last: valid until ${at(certificate.validToMs)}, ${trust}`];
}
