import { notFound, parseResultId, type Result } from "@svc/contract";
import type { Services } from "../platform/services.ts";
import { linkResults } from "./artifacts/link-results.ts";
import { type ResultOwner, resultFromRow } from "./row.ts";
import { type PlaceAndSlot, readPageKeys, readResultRows } from "./store.ts";

/** A page of a check's results, newest first. The caller has made sure that the check is the team's. */
export async function listResults(
  services: Services,
  check: ResultOwner,
  page: { limit: number; offset: number; withDetail: boolean },
): Promise<Result[]> {
  const keys = await readPageKeys(services.knex, check.key, page);
  return readResults(services, check, keys, page.withDetail);
}

/** One result of the check, with its detail. @throws DomainError not_found (unknown, another check's, or no result's id) */
export async function getResult(services: Services, check: ResultOwner, resultId: string): Promise<Result> {
  const key = parseResultId(resultId);
  const keys = key?.checkKey === check.key ? [key] : [];
  const [result] = await readResults(services, check, keys, true);
  if (!result) throw notFound("Result");
  return result;
}

async function readResults(
  services: Services,
  check: ResultOwner,
  keys: readonly PlaceAndSlot[],
  withDetail: boolean,
): Promise<Result[]> {
  const rows = await readResultRows(services.knex, check.key, keys, { withDetail });
  return linkResults(
    services,
    check.key,
    rows.map((row) => ({ result: resultFromRow(check, row, withDetail), run: row })),
  );
}
