/** Describes SLOs for people. */
import type { ApiClient, Slo } from "@svc/contract";

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

/** Says which results, or which requests to a third party, the SLO counts as good. */
export function goodText({
  sloType,
  sliType,
  perfThresholdMs,
}: Pick<Slo, "sloType" | "sliType" | "perfThresholdMs">): string {
  if (sloType === "third_party") return "request without error or 5xx";
  return sliType === "performance" ? `success within ${perfThresholdMs} ms` : "success";
}

/** Names of third-party patterns by id. */
export type PatternNames = ReadonlyMap<string, string>;

/** Returns the names of the third-party patterns. Asks the service only when one of the SLOs is of a third party. */
export async function listPatternNames(
  api: ApiClient,
  slos: readonly Pick<Slo, "patternId">[],
): Promise<PatternNames> {
  if (slos.every(({ patternId }) => patternId === null)) return new Map();
  return new Map((await api.listThirdPartyPatterns()).map(({ id, name }) => [id, name]));
}

/** Returns the name of the monitor, or of the third-party pattern. */
export function subjectOf(
  { checkName, patternId }: Pick<Slo, "checkName" | "patternId">,
  patternNames: PatternNames,
): string {
  const pattern = patternId === null ? undefined : (patternNames.get(patternId) ?? patternId);
  return checkName ?? pattern ?? "-";
}
