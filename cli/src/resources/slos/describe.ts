/** How SLOs look. */
import type { Slo } from "@svc/contract";

/** `99.9 %`. @param basisPoints hundredths of a percent */
export function percentOf(basisPoints: number): string {
  return `${Number((basisPoints / 100).toFixed(2))} %`;
}

/** `99.954 %`. @param share 0-1 */
export function shareText(share: number): string {
  // Rounded down: 99.9999 % is not all.
  return `${Math.floor(share * 100_000) / 1000} %`;
}

/** What the SLO counts as good. */
export function goodText({ sliType, perfThresholdMs }: Pick<Slo, "sliType" | "perfThresholdMs">): string {
  return sliType === "performance" ? `success within ${perfThresholdMs} ms` : "success";
}

/** The monitor, or the pattern of third-party requests. */
export function subjectOf({ checkName, patternId }: Pick<Slo, "checkName" | "patternId">): string {
  return checkName ?? patternId ?? "-";
}
