import {
  type Check,
  type CreateCheck,
  checkTypes,
  configOf,
  FREQUENCY_SECONDS_DEFAULT,
  newId,
  pushedFrequencySeconds,
} from "@svc/contract";
import type { Knex } from "knex";
import { changeRecord } from "../accounts/change-log/change-record.ts";
import { assertWithinPlan, loadPlan } from "../accounts/teams/plans.ts";
import { wakeFleets } from "../platform/db/wake-ups.ts";
import type { TeamContext } from "../platform/team-context.ts";
import { assertSpecsExist } from "./api-specs/assert-specs-exist.ts";
import { assertWritten } from "./assert-written.ts";
import { assertDependencies } from "./dependencies/assert-dependencies.ts";
import { lockDependencies } from "./dependencies/store.ts";
import { dispatchFirstRun } from "./first-runs/dispatch-first-run.ts";
import { locationKeysForUse } from "./location-keys.ts";
import { assertFollows } from "./pushes/assert-follows.ts";
import { expectFrom } from "./pushes/expect-from.ts";
import { newPushColumns } from "./pushes/push-token.ts";
import { withPushUrl } from "./pushes/push-url.ts";
import { checkFromRow, configColumns } from "./row.ts";
import { countChecksExclusively, insertCheckRow, nextRevision, putScheduleInForce } from "./store.ts";
import { assertSecretsExist } from "./team-secrets/assert-secrets-exist.ts";

/**
 * Stores a check and puts its schedule in force; an enabled one also runs at once in each of its locations, or a
 * little later when its team has created many.
 * @throws DomainError `limit_exceeded`, or `invalid` when a location can't be used or a spec or secret is not known
 */
export async function createCheck(ctx: TeamContext, input: CreateCheck): Promise<Check> {
  const { teamId, services } = ctx;
  const { name, type, enabled, retry, dependsOn } = input;
  const config = configOf(input);
  const frequencySeconds = frequencyOf(input, config);
  const isPushed = pushedFrequencySeconds(type, config) !== undefined;
  assertWritten({ type, config, field: checkTypes.get(type).configKey });
  const row = await changeRecord(ctx, async (trx) => {
    if (dependsOn.length > 0) await lockDependencies(trx, teamId);
    await assertPlanAllows(ctx, trx, { ...input, frequencySeconds });
    const field = checkTypes.get(type).configKey;
    await assertSpecsExist(trx, { teamId, config, field });
    await assertSecretsExist(trx, { teamId, config, field });
    const locationKeys = await locationKeysForUse(trx, { teamId, type, ids: input.locations });
    const nowMs = services.clock.nowMs();
    const revision = await nextRevision(trx);
    const checkId = newId("check");
    await assertDependencies(trx, { teamId, check: { id: checkId, name }, dependsOn });
    const inserted = await insertCheckRow(trx, {
      ...configColumns(services.secrets, { checkId, type, config }),
      ...(isPushed && newPushColumns(services.secrets, checkId)),
      id: checkId,
      teamId,
      name,
      type,
      frequencySeconds,
      enabled,
      retry,
      dependsOn,
      revision,
      locationIds: input.locations,
      createdAt: new Date(nowMs).toISOString(),
    });
    await putScheduleInForce(trx, {
      checkKey: inserted.key,
      // A pushed check has no slots that could be missing.
      schedule: { revision, frequencySeconds, locationKeys, enabled: enabled && !isPushed },
      atMs: nowMs,
    });
    if (isPushed) await expectFrom(trx, inserted, nowMs);
    else if (enabled) await dispatchFirstRun(trx, { teamId, check: inserted, locationKeys, atMs: nowMs });
    await wakeFleets(trx, "checks");
    return {
      result: inserted,
      changes: [{ action: "created", type: "check", resourceId: inserted.id, name }],
    };
  });
  return withPushUrl(services, { row, check: checkFromRow(services.secrets, row) }, "shown");
}

/** @throws DomainError `invalid` for a frequency that is not the one that a pushed check's configuration leads to */
function frequencyOf(
  { type, frequencySeconds }: CreateCheck,
  config: Readonly<Record<string, unknown>>,
): number {
  const derived = pushedFrequencySeconds(type, config);
  if (derived === undefined) return frequencySeconds ?? FREQUENCY_SECONDS_DEFAULT;
  assertFollows(frequencySeconds, derived);
  return derived;
}

async function assertPlanAllows(
  { teamId }: TeamContext,
  trx: Knex,
  input: { locations: readonly string[]; frequencySeconds: number },
): Promise<void> {
  const plan = await loadPlan(trx, teamId);
  const checkCount = plan.maxChecks === null ? undefined : (await countChecksExclusively(trx, teamId)) + 1;
  assertWithinPlan(plan, {
    checkCount,
    locationCount: input.locations.length,
    frequencySeconds: input.frequencySeconds,
  });
}
