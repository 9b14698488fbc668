/** Describes SLOs for people. */
import type { Slo } from "@svc/contract";

/**
 * Returns a target such as `99.9 %`.
 * @param basisPoints hundredths of a percent
 */
export function percentOf(basisPoints: number): string {
  return `${Number((basisPoints / 100).toFixed(2))} %`;
}

/**
 * Returns a share such as `99.954 %`.
 * @param share 0-1
 */
export function shareText(share: number): string {
  // Rounds down: 99.9999 % is not 100 %.
  return `${Math.floor(share * 100_000) / 1000} %`;
}

/** Says which results the SLO counts as good. */
export function goodText({ sliType, perfThresholdMs }: Pick<Slo, "sliType" | "perfThresholdMs">): string {
  return sliType === "performance" ? `success within ${perfThresholdMs} ms` : "success";
}

/** Returns the name of the monitor, or the pattern of third-party requests. */
export function subjectOf({ checkName, patternId }: Pick<Slo, "checkName" | "patternId">): string {
  return checkName ?? patternId ?? "-";
}
