import {
  type CreateTestRun,
  checkTypes,
  DomainError,
  invalidField,
  keepMaskedCheckConfig,
  MINUTE_MS,
  newId,
  SECOND_MS,
  TEST_RUN_LIMITS,
  type TestRun,
} from "@svc/contract";
import type { Knex } from "knex";
import { assertWithinPlan, loadPlan } from "../../accounts/teams/plans.ts";
import { assertSpecsExist } from "../../checks/api-specs/assert-specs-exist.ts";
import { parseConfigJson } from "../../checks/config.ts";
import { locationRowsForUse } from "../../checks/locations/store.ts";
import { configColumns, configFromRow } from "../../checks/row.ts";
import { findCheckRow } from "../../checks/store.ts";
import { assertSecretsExist } from "../../checks/team-secrets/assert-secrets-exist.ts";
import { usableLocations } from "../../checks/usable-locations.ts";
import { wakeFleets } from "../../platform/db/wake-ups.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { type ConnectedRunners, findRunner } from "./find-runner.ts";
import { getTestRun } from "./get-test-run.ts";
import { findTestRunsExclusively, insertTestRun, type RecentTestRuns, type TestRunLimits } from "./store.ts";
import { BEGIN_WITHIN_MS } from "./timing.ts";

/** Wait that is proposed to a team with too many open test runs. */
const OPEN_WAIT_MS = 5 * SECOND_MS;

/** The configuration to try, the runners that may try it, and the limits of its traffic where it has some. */
export interface NewTestRunInput {
  input: CreateTestRun;
  state: ConnectedRunners;
  limits?: TestRunLimits | null;
}

/**
 * Stores a test run, which runners then carry out at each of its locations. Where no runner can run it, the test run says so at
 * once. Nothing of it is a result or a change.
 * @throws DomainError `rate_limited`; `limit_exceeded`; `invalid` when a location can't be used or a check,
 *   spec or secret is not known
 */
export async function createTestRun(
  ctx: TeamContext,
  { input, state, limits = null }: NewTestRunInput,
): Promise<TestRun> {
  const { teamId, services } = ctx;
  const { knex, secrets, clock } = services;
  const { type, retry } = input;
  const field = checkTypes.get(type).configKey;
  const author = ctx.author.actor ?? "";
  const id = newId("testRun");
  await knex.transaction(async (trx) => {
    const nowMs = clock.nowMs();
    const recent = await findTestRunsExclusively(trx, { teamId, author, nowMs });
    // Those with limits are begun by the service itself, several for what one person asked for once.
    if (limits === null) assertIsNotTooOften(recent, nowMs);
    if (recent.open >= TEST_RUN_LIMITS.openMax)
      throw tooMany(`at most ${TEST_RUN_LIMITS.openMax} of a team at a time`, OPEN_WAIT_MS);
    assertWithinPlan(await loadPlan(trx, teamId), { locationCount: input.locations.length });
    const config = await configOf(ctx, trx, input);
    await assertSpecsExist(trx, { teamId, config, field });
    await assertSecretsExist(trx, { teamId, config, field });
    const known = await locationRowsForUse(trx, teamId, input.locations);
    const columns = configColumns(secrets, { checkId: id, type, config });
    const problemAt = (locationKey: number) => {
      const usesVault = columns.vaultNames.length > 0;
      const found = findRunner(state, {
        teamId,
        type,
        usesVault,
        isLimited: limits !== null,
        locationKey,
        checkKey: 0,
      });
      return "problem" in found ? found.problem : null;
    };
    await insertTestRun(trx, {
      ...columns,
      id,
      teamId,
      author,
      type,
      retry,
      limits,
      nowMs,
      beginByMs: nowMs + BEGIN_WITHIN_MS,
      locations: usableLocations(input.locations, known).map(({ key }) => ({ key, problem: problemAt(key) })),
    });
    await wakeFleets(trx, "test_runs");
  });
  return getTestRun(ctx, { id });
}

/** Returns the configuration, with the secrets of the check that is edited wherever `***` stands for one. */
async function configOf(
  { teamId, services }: TeamContext,
  trx: Knex,
  input: CreateTestRun,
): Promise<Record<string, unknown>> {
  const { configKey } = checkTypes.get(input.type);
  const given = (input as Record<string, unknown>)[configKey] as Record<string, unknown>;
  if (input.checkId === null) return given;
  const check = await findCheckRow(trx, teamId, input.checkId);
  if (!check) throw invalidField("checkId", "there is no such check");
  if (check.type !== input.type)
    throw invalidField("checkId", `this check is of type ${check.type}, the test run of type ${input.type}`);
  return parseConfigJson(
    check.type,
    keepMaskedCheckConfig(check.type, given, configFromRow(services.secrets, check)),
  );
}

function assertIsNotTooOften({ createdAtMs }: RecentTestRuns, nowMs: number): void {
  const { perMinuteMax } = TEST_RUN_LIMITS;
  const freeing = createdAtMs.at(-perMinuteMax);
  if (freeing !== undefined)
    throw tooMany(`at most ${perMinuteMax} a minute of a person or key`, freeing + MINUTE_MS - nowMs);
}

function tooMany(rule: string, waitMs: number): DomainError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / SECOND_MS));
  return new DomainError("rate_limited", `Too many test runs: ${rule}; try again in ${retryAfterSeconds} s`, {
    retryAfterSeconds,
  });
}
