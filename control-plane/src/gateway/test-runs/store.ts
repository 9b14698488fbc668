/** SQL of test runs. */
import type {
  CheckType,
  LocationId,
  Retry,
  RunnerId,
  TeamId,
  TestRunId,
  TestRunPhase,
  TestRunResult,
} from "@svc/contract";
import type { Knex } from "knex";
import { specIdsOf } from "../../checks/api-specs/assert-specs-exist.ts";
import { contentHashes } from "../../checks/api-specs/store.ts";
import {
  type CheckDocument,
  type DocumentRow,
  documentOf,
  vaultSecretsSql,
} from "../../fleet/check-documents.ts";
import { queryRows } from "../../platform/db/rows.ts";
import type { Services } from "../../platform/services.ts";
import { KEPT_MS, RUN_MAX_MS, RUNNER_RETURN_MS } from "./timing.ts";

/** Test runs of a team that are kept; older ones go as further ones come. */
const KEPT_PER_TEAM_MAX = 20;
/** Smallest number that stands for a test run among the keys of checks, which never come near it: 2^50. */
const CHECK_KEY_BASE = 2 ** 50;
/**
 * Phase of a test run with limits that no runner has got yet; whoever reads it sees `ordered`. A replica of a version before there were
 * limits looks for `ordered` ones alone, so that it never sends one without its limits during an upgrade.
 */
const ORDERED_LIMITED = "ordered_limited";
/** Frequency under which agents run it, seconds: a check's default. It has one slot only. */
const FREQUENCY_SECONDS = 300;

/** Numbers by which the right to begin a test run is judged. */
export interface RecentTestRuns {
  /** Instants of the author's test runs in the last minute, without those with limits, Unix ms, oldest first. */
  createdAtMs: number[];
  /** Number of the team's test runs that are not finished. */
  open: number;
}

/** Returns the recent test runs. Others of the team wait until the transaction ends. */
export async function findTestRunsExclusively(
  trx: Knex,
  { teamId, author, nowMs }: { teamId: TeamId; author: string; nowMs: number },
): Promise<RecentTestRuns> {
  await trx("teams").where({ id: teamId }).forNoKeyUpdate().first("id");
  const [row] = await queryRows<RecentTestRuns>(
    trx,
    `SELECT
       coalesce(array_agg((extract(epoch FROM t.created_at) * 1000)::bigint ORDER BY t.created_at)
         FILTER (WHERE t.created_by = ? AND t.limits IS NULL AND t.created_at > to_timestamp(?::double precision / 1000) - interval '1 minute'), '{}')
         AS created_at_ms,
       count(*) FILTER (WHERE EXISTS (
         SELECT FROM test_run_locations l WHERE l.test_run_key = t.key
           AND (l.phase IN ('ordered', '${ORDERED_LIMITED}') AND l.runner_key IS NULL AND t.begin_by_ms > ?
             OR l.phase IN ('ordered', 'running') AND l.runner_key IS NOT NULL AND t.begin_by_ms > ?))
       )::integer AS open
     FROM test_runs t WHERE t.team_id = ?`,
    [author, nowMs, nowMs, nowMs - RUN_MAX_MS, teamId],
  );
  return { createdAtMs: (row?.createdAtMs ?? []).map(Number), open: row?.open ?? 0 };
}

/** Limits of where the requests of a test run may go, and what they may do. The agent enforces them. */
export interface TestRunLimits {
  /** Origins that the run is about, such as `https://shop.example`. */
  origins: string[];
  /** Further origins that may be read from; null: any. */
  readOrigins: string[] | null;
  /** True: requests of every method pass to `origins`; otherwise only GET, HEAD and OPTIONS do. */
  allowsWrites: boolean;
}

/** A test run that is about to be stored. Instants in Unix ms. */
export interface NewTestRun {
  id: TestRunId;
  teamId: TeamId;
  author: string;
  type: CheckType;
  config: Record<string, unknown>;
  configSecrets: Buffer | null;
  vaultNames: string[];
  retry: Retry | null;
  limits: TestRunLimits | null;
  nowMs: number;
  beginByMs: number;
  /** In the order of the request; those with a problem are not run. */
  locations: { key: number; problem: string | null }[];
}

/** Stores a test run; removes the team's oldest beyond those that are kept. */
export async function insertTestRun(trx: Knex, run: NewTestRun): Promise<void> {
  await trx.raw(
    `DELETE FROM test_runs WHERE key IN (
       SELECT key FROM test_runs WHERE team_id = ? ORDER BY created_at DESC OFFSET ${KEPT_PER_TEAM_MAX - 1})`,
    [run.teamId],
  );
  const at = (ms: number) => new Date(ms).toISOString();
  const [row] = await trx("testRuns")
    .insert({
      id: run.id,
      teamId: run.teamId,
      createdBy: run.author,
      type: run.type,
      config: JSON.stringify(run.config),
      configSecrets: run.configSecrets,
      vaultNames: run.vaultNames,
      retry: run.retry === null ? null : JSON.stringify(run.retry),
      limits: run.limits === null ? null : JSON.stringify(run.limits),
      beginByMs: run.beginByMs,
      createdAt: at(run.nowMs),
      expiresAt: at(run.nowMs + KEPT_MS),
    })
    .returning("key");
  await trx("testRunLocations").insert(
    run.locations.map(({ key, problem }, position) => ({
      testRunKey: row.key,
      locationKey: key,
      position,
      phase: problem === null ? (run.limits === null ? "ordered" : ORDERED_LIMITED) : "failed",
      problem,
    })),
  );
}

/** Removes expired test runs, with what they found. */
export async function deleteExpiredTestRuns(db: Knex, nowMs: number): Promise<void> {
  await db.raw("DELETE FROM test_runs WHERE expires_at < to_timestamp(?::double precision / 1000)", [nowMs]);
}

/** A test run at a location, as it is stored. */
export interface TestRunRow {
  id: TestRunId;
  type: CheckType;
  createdAt: string;
  expiresAt: string;
  beginByMs: number;
  locationId: LocationId;
  phase: TestRunPhase;
  wasSent: boolean;
  /** The runner that it was sent to; null also when that is forgotten. */
  runnerId: RunnerId | null;
  /** True when the runner that it was sent to is connected, or was until a moment ago. */
  isRunnerAlive: boolean;
  problem: string | null;
  result: TestRunResult | null;
  /** Steps of its pictures, in their order; a step may have no name. */
  pictureSteps: string[];
}

/** Returns the rows of a test run, one for each location, in the order of the request; none: there is no such test run. */
export function readTestRun(
  db: Knex,
  { teamId, id, nowMs }: { teamId: TeamId; id: string; nowMs: number },
): Promise<TestRunRow[]> {
  return queryRows(
    db,
    `SELECT t.id, t.type, t.created_at, t.expires_at, t.begin_by_ms, o.id AS location_id,
       CASE l.phase WHEN '${ORDERED_LIMITED}' THEN 'ordered' ELSE l.phase END AS phase,
       l.runner_key IS NOT NULL AS was_sent, r.id AS runner_id, coalesce(r.lease_until > clock_timestamp() - ${RUNNER_RETURN_MS} * interval '1 ms', false) AS is_runner_alive,
       l.problem, l.result,
       ARRAY(SELECT p.step FROM test_run_pictures p
             WHERE p.test_run_key = t.key AND p.location_key = l.location_key ORDER BY p.position) AS picture_steps
     FROM test_runs t JOIN test_run_locations l ON l.test_run_key = t.key JOIN locations o ON o.key = l.location_key
       LEFT JOIN runners r ON r.key = l.runner_key
     WHERE t.team_id = ? AND t.id = ? AND t.expires_at > to_timestamp(?::double precision / 1000)
     ORDER BY l.position`,
    [teamId, id, nowMs],
  );
}

/** A test run that no runner has got yet, at a location. */
export interface UnsentTestRun {
  key: number;
  teamId: TeamId;
  type: string;
  usesVault: boolean;
  locationKey: number;
  beginByMs: number;
  limits: TestRunLimits | null;
}

/** Returns the test runs that may still begin and were sent to no runner. */
export function readUnsentTestRuns(db: Knex, nowMs: number): Promise<UnsentTestRun[]> {
  return queryRows(
    db,
    `SELECT t.key, t.team_id, t.type, t.vault_names <> '{}' AS uses_vault, l.location_key, t.begin_by_ms, t.limits
     FROM test_run_locations l JOIN test_runs t ON t.key = l.test_run_key
     WHERE (l.phase = 'ordered' OR l.phase = '${ORDERED_LIMITED}') AND l.runner_key IS NULL AND t.begin_by_ms > ?`,
    [nowMs],
  );
}

/** Returns the number by which agents know the test run where checks have their key. */
export function checkKeyOf(testRunKey: number): number {
  return CHECK_KEY_BASE + testRunKey;
}

/** Notes the runner that gets the test run. @returns false when another one has it already */
export async function claimTestRun(
  db: Knex,
  { key, locationKey, runnerKey }: { key: number; locationKey: number; runnerKey: number },
): Promise<boolean> {
  const rows = await queryRows(
    db,
    `UPDATE test_run_locations SET runner_key = ?, phase = 'ordered'
     WHERE test_run_key = ? AND location_key = ? AND runner_key IS NULL AND phase IN ('ordered', '${ORDERED_LIMITED}') RETURNING 1`,
    [runnerKey, key, locationKey],
  );
  return rows.length > 0;
}

/** Returns a test run as runners get it; undefined when it is gone. @throws Error when its secrets open under no known key */
export async function loadTestRunDocument(
  { knex, secrets }: Pick<Services, "knex" | "secrets">,
  key: number,
): Promise<CheckDocument | undefined> {
  const [row] = await queryRows<Omit<DocumentRow, "key" | "name" | "frequencySeconds" | "revision">>(
    knex,
    `SELECT t.id, t.team_id, t.type, t.config, t.config_secrets, t.retry, t.vault_names,
       ${vaultSecretsSql("t")} AS vault_secrets
     FROM test_runs t WHERE t.key = ?`,
    [key],
  );
  if (!row) return undefined;
  const hashes = await contentHashes(knex, specIdsOf(row.config));
  const asCheck = {
    ...row,
    key: checkKeyOf(key),
    name: "test run",
    frequencySeconds: FREQUENCY_SECONDS,
    revision: 1,
  };
  return documentOf(asCheck, secrets, hashes);
}

/** What a runner reports about a test run that it got. */
export interface TestRunChange {
  id: string;
  locationKey: number;
  runnerKey: number;
  phase: TestRunPhase;
  problem?: string;
  result?: TestRunResult;
  /** Pictures of the page, in their order. */
  pictures?: readonly { step: string; jpeg: Uint8Array }[];
}

/** Stores a report, unless the test run has ended or is not this runner's. */
export async function changeTestRun(db: Knex, change: TestRunChange): Promise<void> {
  const pictures = change.pictures ?? [];
  await db.raw(
    `WITH changed AS (
       UPDATE test_run_locations SET phase = ?, problem = ?, result = ?
       WHERE test_run_key = (SELECT key FROM test_runs WHERE id = ?) AND location_key = ? AND runner_key = ?
         AND phase IN ('ordered', 'running')
       RETURNING test_run_key, location_key)
     INSERT INTO test_run_pictures (test_run_key, location_key, position, step, jpeg)
     SELECT test_run_key, location_key, position - 1, step, jpeg
     FROM changed, unnest(?::text[], ?::bytea[]) WITH ORDINALITY AS p (step, jpeg, position)`,
    [
      change.phase,
      change.problem ?? null,
      change.result === undefined ? null : JSON.stringify(change.result),
      change.id,
      change.locationKey,
      change.runnerKey,
      pictures.map(({ step }) => step),
      pictures.map(({ jpeg }) => Buffer.from(jpeg)),
    ] as never,
  );
}

/** Returns the type of a test run; undefined when it is gone. */
export async function typeOfTestRun(db: Knex, id: string): Promise<CheckType | undefined> {
  const row: { type: CheckType } | undefined = await db("testRuns").where({ id }).first("type");
  return row?.type;
}

/** Returns a picture of a team's test run; undefined when there is none. */
export async function readTestRunPicture(
  db: Knex,
  { teamId, id, at, position, nowMs }: TestRunPictureInput,
): Promise<Buffer | undefined> {
  const [row] = await queryRows<{ jpeg: Buffer }>(
    db,
    `SELECT p.jpeg FROM test_runs t JOIN test_run_pictures p ON p.test_run_key = t.key JOIN test_run_locations l ON l.test_run_key = t.key AND l.location_key = p.location_key
     WHERE t.team_id = ? AND t.id = ? AND l.position = ? AND p.position = ? AND t.expires_at > to_timestamp(?::double precision / 1000)`,
    [teamId, id, at, position, nowMs],
  );
  return row?.jpeg;
}

/** Names a picture of a test run. */
export interface TestRunPictureInput {
  teamId: TeamId;
  id: TestRunId;
  /** Position of its location in the test run, and its own there; from 0. */
  at: number;
  position: number;
  nowMs: number;
}
