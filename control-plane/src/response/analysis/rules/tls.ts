/** Finds a TLS handshake that fails, and a certificate that expires soon. */
import { counted, DAY_MS } from "@svc/contract";
import { type AnalysisInput, failingLocations } from "../input.ts";
import { defineAnalysisRule, type Finding } from "./define-rule.ts";
import { confidenceOf, failureLine, mostMatch, readableTime, targetOf } from "./words.ts";

const SOON_DAYS = 14;
const URGENT_DAYS = 3;

/** Applies when most locations fail in the TLS handshake; otherwise when the certificate expires soon. */
export const tls = defineAnalysisRule("tls", (input) => {
  const failing = failingLocations(input);
  const isWidespread = failing.length * 2 > input.locations.length;
  if (!isWidespread || !mostMatch(failing, ({ newest }) => newest.category === "tls")) return expiring(input);
  // The probe names the trouble; without its words the certificate that was seen last does.
  const said = failing.find(({ newest }) => newest.category === "tls" && newest.message !== null);
  const why = said?.newest.message ?? certificateTrouble(input) ?? "the TLS handshake fails";
  return {
    severity: "critical",
    confidence: confidenceOf(failing, 0.75),
    summary: `No secure connection to ${targetOf(input)}: ${why}.`,
    evidence: [...failing.map(failureLine), ...certificateLine(input)],
  };
});

/** Returns a finding when the certificate expires soon, or has expired although the handshakes succeed. */
function expiring(input: AnalysisInput): Omit<Finding, "type"> | undefined {
  const { certificate, nowMs } = input;
  if (!certificate) return undefined;
  const days = Math.floor((certificate.validToMs - nowMs) / DAY_MS);
  if (days >= SOON_DAYS) return undefined;
  return {
    severity: days < URGENT_DAYS ? "critical" : "warning",
    confidence: 0.7,
    summary:
      days < 0
        ? `The certificate of ${targetOf(input)} expired at ${readableTime(certificate.validToMs)}.`
        : `The certificate of ${targetOf(input)} expires in ${counted(days, "day")}, at ${readableTime(certificate.validToMs)}.`,
    evidence: certificateLine(input),
  };
}

function certificateTrouble({ certificate, nowMs }: AnalysisInput): string | undefined {
  if (!certificate) return undefined;
  if (certificate.validToMs <= nowMs)
    return `its certificate expired at ${readableTime(certificate.validToMs)}`;
  if (certificate.isTrusted) return undefined;
  return `its certificate is not trusted${certificate.trustError === null ? "" : ` (${certificate.trustError})`}`;
}

function certificateLine({ certificate }: AnalysisInput): string[] {
  if (!certificate) return [];
  const trust = certificate.isTrusted
    ? "trusted"
    : `not trusted (${certificate.trustError ?? "no reason given"})`;
  return [`certificate seen last: valid until ${readableTime(certificate.validToMs)}, ${trust}`];
}
