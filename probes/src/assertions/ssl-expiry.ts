import { DAY_MS } from "@svc/contract";
import { defineRunAssertion } from "./define.ts";

/**
 * Judges how long the certificate is still valid. `actual` is the number of days left, with one decimal, rounded
 * down.
 */
export const sslExpiry = defineRunAssertion("ssl_expiry", ({ daysBeforeExpiry }, { tls, nowMs, url }) => {
  if (!tls)
    return {
      passed: false,
      expected: daysBeforeExpiry,
      actual: null,
      message: `there is no certificate to judge: ${url.protocol}//${url.host} has no TLS`,
    };
  const leftMs = Date.parse(tls.validTo) - nowMs;
  const daysLeft = Math.floor((leftMs / DAY_MS) * 10) / 10;
  return {
    passed: leftMs > daysBeforeExpiry * DAY_MS,
    expected: daysBeforeExpiry,
    actual: daysLeft,
    message: `the certificate of ${tls.host} expires in ${daysLeft} days, on ${tls.validTo}; wanted: more than ${daysBeforeExpiry} days`,
  };
});
