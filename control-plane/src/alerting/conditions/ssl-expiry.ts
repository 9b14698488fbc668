import { counted, DAY_MS } from "@svc/contract";
import { defineCondition } from "./condition.ts";
import { reportingResults, seenCertificates } from "./seen-certificates.ts";

/**
 * Number of days before the expiry in which the alert is critical, whatever severity the condition has. When
 * `daysBeforeExpiry` is less than twice this, its last half is critical instead.
 */
const CRITICAL_DAYS = 3;

/** Holds while the leaf certificate ends within `daysBeforeExpiry` days, as any location sees it. */
export const sslExpiry = defineCondition("ssl_expiry", {
  isAboutFailure: false,
  recoversOn: "any_result",
  timeDriven: "at_results",
  needs: () => ({ certificates: true }),
  canBegin: () => true,
  match: ({ daysBeforeExpiry, severity = "critical" }, input) => {
    const ending = seenCertificates(input)
      .map((seen) => ({ ...seen, daysLeft: (Date.parse(seen.facts.validTo) - input.atMs) / DAY_MS }))
      .filter(({ daysLeft }) => daysLeft <= daysBeforeExpiry)
      .sort((a, b) => a.daysLeft - b.daysLeft);
    const [first] = ending;
    if (!first) return undefined;
    const isUrgent = first.daysLeft <= Math.min(CRITICAL_DAYS, daysBeforeExpiry / 2);
    return {
      severity: isUrgent ? "critical" : severity,
      threshold: daysBeforeExpiry,
      observed: {
        daysLeft: Math.floor(first.daysLeft * 100) / 100,
        validTo: first.facts.validTo,
        fingerprintSha256: first.facts.fingerprintSha256,
        subject: first.facts.subject,
      },
      results: reportingResults(ending),
      summary:
        first.daysLeft > 0 ? `certificate ends in ${daysText(first.daysLeft)}` : "certificate has ended",
    };
  },
  explain: ({ daysBeforeExpiry }, input) => {
    const [first] = seenCertificates(input)
      .map(({ facts }) => ({ facts, daysLeft: (Date.parse(facts.validTo) - input.atMs) / DAY_MS }))
      .sort((a, b) => a.daysLeft - b.daysLeft);
    return {
      threshold: daysBeforeExpiry,
      observed: first
        ? { daysLeft: Math.floor(first.daysLeft * 100) / 100, validTo: first.facts.validTo }
        : null,
      missing: first
        ? `a certificate that ends within ${counted(daysBeforeExpiry, "day")}; the first ends in ${daysText(first.daysLeft)}`
        : "a certificate; no location has seen one",
    };
  },
  notReplayable: "which certificate a run met is known for changes only",
});

function daysText(days: number): string {
  const whole = Math.floor(days);
  return whole === 0 ? "less than a day" : counted(whole, "day");
}
