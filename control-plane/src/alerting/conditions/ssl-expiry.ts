import { DAY_MS } from "@svc/contract";
import { defineCondition } from "./condition.ts";

/** In its last days (or the last half of a shorter notice) an expiry is critical, whatever severity was set. */
const CRITICAL_DAYS = 3;

/** The leaf certificate ends within `daysBeforeExpiry` days, as any one of the check's locations sees it. */
export const sslExpiry = defineCondition("ssl_expiry", {
  isAboutFailure: false,
  recoversOn: "any_result",
  beginsWithTime: "at_results",
  needs: () => ({ tls: true }),
  mayBegin: () => true,
  holds: ({ daysBeforeExpiry, severity = "critical" }, { locations, atMs }) => {
    const seen = locations.flatMap(({ locationKey, tls: [newest] }) =>
      newest
        ? [{ locationKey, ...newest, daysLeft: (Date.parse(newest.facts.validTo) - atMs) / DAY_MS }]
        : [],
    );
    const ending = seen.filter(({ daysLeft }) => daysLeft <= daysBeforeExpiry);
    const [first] = ending.sort((a, b) => a.daysLeft - b.daysLeft);
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
      results: ending.map(({ locationKey, firstSlotMs }) => ({ locationKey, slotMs: firstSlotMs })),
      summary:
        first.daysLeft > 0 ? `certificate ends in ${daysText(first.daysLeft)}` : "certificate has ended",
    };
  },
});

function daysText(days: number): string {
  const whole = Math.floor(days);
  return whole === 0 ? "less than a day" : `${whole} day${whole === 1 ? "" : "s"}`;
}
