import { notFound, parseResultId, type Result } from "@svc/contract";
import type { Services } from "../services.ts";
import { type ResultOwner, resultFromRow } from "./row.ts";
import { readPageKeys, readResultRows } from "./store.ts";

/** A page of a check's results, newest first. The caller has made sure that the check is the team's. */
export async function listResults(
  { knex }: Services,
  check: ResultOwner,
  page: { limit: number; offset: number; withDetail: boolean },
): Promise<Result[]> {
  const keys = await readPageKeys(knex, check.key, page);
  const rows = await readResultRows(knex, check.key, keys, page);
  return rows.map((row) => resultFromRow(check, row, page.withDetail));
}

/** One result of the check, with its detail. @throws DomainError not_found (unknown, another check's, or no result's id) */
export async function getResult({ knex }: Services, check: ResultOwner, resultId: string): Promise<Result> {
  const key = parseResultId(resultId);
  const keys = key?.checkKey === check.key ? [key] : [];
  const [row] = await readResultRows(knex, check.key, keys, { withDetail: true });
  if (!row) throw notFound("Result");
  return resultFromRow(check, row, true);
}
