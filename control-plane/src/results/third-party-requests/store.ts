/**
 * All SQL of the requests that are counted by third-party patterns. A row holds what the runs of a check counted for a
 * pattern in a minute, or in an hour, of their slots. Hosts are not stored: the page of a check decides which hosts
 * there are, and can't make the table grow beyond a row per pattern, check and minute.
 */
import { type TeamId, wholeMs } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { CountedRequests, RequestSpan } from "./counted-requests.ts";

/** A check whose team has patterns. */
export interface CheckWithPatterns {
  checkKey: number;
  teamId: TeamId;
}

/** Returns those of the checks whose team has any pattern; deleted checks are missing. */
export function readChecksWithPatterns(db: Knex, checkKeys: readonly number[]): Promise<CheckWithPatterns[]> {
  return queryRows(
    db,
    `SELECT c.key AS check_key, c.team_id FROM checks c
     WHERE c.key = ANY(CAST(:checkKeys AS bigint[]))
       AND EXISTS (SELECT FROM third_party_patterns p WHERE p.team_id = c.team_id)`,
    { checkKeys: [...checkKeys] },
  );
}

/** A pattern of a team. */
export interface TeamPattern {
  key: number;
  teamId: TeamId;
  hostPattern: string;
}

/** Returns the patterns of these teams. */
export async function readPatternsOfTeams(db: Knex, teamIds: readonly TeamId[]): Promise<TeamPattern[]> {
  return db("thirdPartyPatterns").whereIn("teamId", teamIds).select("key", "teamId", "hostPattern");
}

/**
 * Adds counts to the buckets. Rows are locked in the order of their key, so that two transactions that count for one
 * check don't wait for each other.
 */
export async function addRequests(trx: Knex, rows: readonly CountedRequests[]): Promise<void> {
  if (rows.length === 0) return;
  await trx.raw(
    `INSERT INTO pattern_requests (bucket_seconds, pattern_key, bucket_ms, check_key, total, good)
     SELECT * FROM unnest(CAST(:bucketSeconds AS int[]), CAST(:patternKeys AS bigint[]), CAST(:bucketsMs AS bigint[]),
       CAST(:checkKeys AS bigint[]), CAST(:totals AS bigint[]), CAST(:goods AS bigint[])) ORDER BY 1, 2, 3, 4
     ON CONFLICT (bucket_seconds, pattern_key, bucket_ms, check_key)
     DO UPDATE SET total = pattern_requests.total + excluded.total, good = pattern_requests.good + excluded.good`,
    {
      bucketSeconds: rows.map(({ bucketSeconds }) => bucketSeconds),
      patternKeys: rows.map(({ patternKey }) => patternKey),
      bucketsMs: rows.map(({ bucketMs }) => bucketMs),
      checkKeys: rows.map(({ checkKey }) => checkKey),
      totals: rows.map(({ total }) => total),
      goods: rows.map(({ good }) => good),
    },
  );
}

/** Requests of the span with the index `question`: all of them, and those that were good. */
interface QuestionSum {
  question: number;
  total: number;
  good: number;
}

/** Returns the sums of the spans by question; a question without requests may be missing. */
export function sumRequests(db: Knex, spans: readonly RequestSpan[]): Promise<QuestionSum[]> {
  if (spans.length === 0) return Promise.resolve([]);
  return queryRows(
    db,
    `WITH p AS MATERIALIZED (
       SELECT question, factor, bucket_seconds, pattern_key, from_ms, to_ms, CAST(of_checks AS bigint[]) AS check_keys
       FROM unnest(CAST(:question AS int[]), CAST(:factor AS int[]), CAST(:bucketSeconds AS int[]),
              CAST(:patternKey AS bigint[]), CAST(:fromMs AS bigint[]), CAST(:toMs AS bigint[]), CAST(:ofChecks AS text[]))
            AS u (question, factor, bucket_seconds, pattern_key, from_ms, to_ms, of_checks))
     SELECT p.question, sum(p.factor * s.total)::bigint AS total, sum(p.factor * s.good)::bigint AS good
     FROM p CROSS JOIN LATERAL (
       SELECT coalesce(sum(r.total), 0) AS total, coalesce(sum(r.good), 0) AS good FROM pattern_requests r
       WHERE r.bucket_seconds = p.bucket_seconds AND r.pattern_key = p.pattern_key
         AND r.bucket_ms >= p.from_ms AND r.bucket_ms < p.to_ms
         AND (p.check_keys IS NULL OR r.check_key = ANY(p.check_keys))) AS s
     GROUP BY p.question`,
    {
      question: spans.map(({ question }) => question),
      factor: spans.map(({ checkKeys }) => (checkKeys === null ? 1 : -1)),
      bucketSeconds: spans.map(({ bucketSeconds }) => bucketSeconds),
      patternKey: spans.map(({ patternKey }) => patternKey),
      fromMs: spans.map(({ fromMs }) => wholeMs(fromMs)),
      toMs: spans.map(({ toMs }) => wholeMs(toMs)),
      ofChecks: spans.map(({ checkKeys }) => (checkKeys === null ? null : `{${checkKeys.join(",")}}`)),
    },
  );
}
