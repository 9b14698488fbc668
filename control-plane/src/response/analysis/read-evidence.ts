/** Reads what the details of failures show: of the newest failure at each location, beside the success before it. */
import { groupBy, parseResultId, type Result } from "@svc/contract";
import type { CheckModel } from "../../checks/row.ts";
import type { Services } from "../../platform/services.ts";
import { readResults } from "../../results/read-results.ts";
import { evidenceOf } from "../failures/evidence.ts";
import type { FailureEvidence } from "../failures/failure.ts";

/** Most locations whose details are read; a check has hardly more. */
const LOCATIONS_MAX = 30;

/**
 * Returns the evidence by the id of the result.
 * @param results without details, newest first
 */
export async function readEvidence(
  services: Services,
  check: CheckModel,
  results: readonly Result[],
): Promise<Map<string, FailureEvidence>> {
  const byLocation = [...groupBy<Result, string>(results, ({ locationId }) => locationId).values()];
  const pairs = byLocation.flatMap((ofLocation) => pairOf(ofLocation) ?? []).slice(0, LOCATIONS_MAX);
  const keys = pairs.flatMap(({ failure, before }) =>
    [failure, before].flatMap((result) => (result && parseResultId(result.id)) ?? []),
  );
  const detailed = await readResults(services, check, { keys, withDetail: true });
  const byId = new Map<string, Result>(detailed.map((result) => [result.id, result]));
  return new Map(
    pairs.map(({ failure, before }) => [
      failure.id,
      evidenceOf(byId.get(failure.id) ?? {}, before && byId.get(before.id)),
    ]),
  );
}

/** Returns the newest failure, and the newest success before it. */
function pairOf(results: readonly Result[]): { failure: Result; before: Result | undefined } | undefined {
  const at = results.findIndex(({ status }) => status !== "success");
  const failure = results[at];
  const before = results.slice(at).find(({ status }) => status === "success");
  return failure && { failure, before };
}
