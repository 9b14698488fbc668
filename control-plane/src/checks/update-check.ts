import { isDeepStrictEqual } from "node:util";
import {
  type CheckId,
  invalidField,
  keepMaskedCheckConfig,
  notFound,
  pushedFrequencySeconds,
  pushedTraitsOf,
  pushLocationsSchema,
  type UpdateCheck,
} from "@svc/contract";
import type { Knex } from "knex";
import { type ChangeEntry, changeRecord } from "../accounts/change-log/change-record.ts";
import { changedFields } from "../accounts/change-log/changed-fields.ts";
import { assertWithinPlan, loadPlan } from "../accounts/teams/plans.ts";
import { wakeFleets } from "../platform/db/wake-ups.ts";
import { assertSameVersion } from "../platform/http/record-version.ts";
import type { Services } from "../platform/services.ts";
import type { TeamContext } from "../platform/team-context.ts";
import { assertSpecsExist } from "./api-specs/assert-specs-exist.ts";
import { assertWritten } from "./assert-written.ts";
import type { CheckDependents } from "./check-dependents.ts";
import { parseConfigJson } from "./config.ts";
import { assertDependencies } from "./dependencies/assert-dependencies.ts";
import { lockDependencies } from "./dependencies/store.ts";
import { describeCheck, describeCheckMasked } from "./described.ts";
import { locationKeysForUse } from "./location-keys.ts";
import { assertFollows } from "./pushes/assert-follows.ts";
import { expectFrom } from "./pushes/expect-from.ts";
import { type CheckModel, configColumns, configFromRow } from "./row.ts";
import {
  currentLocationKeys,
  lockCheckRow,
  markedForFleet,
  nextRevision,
  patchCheckRow,
  putScheduleInForce,
} from "./store.ts";
import { assertSecretsExist } from "./team-secrets/assert-secrets-exist.ts";

/** The check to change, its new fields, and the parts of the service that depend on it. */
export interface UpdateCheckInput {
  id: CheckId;
  update: UpdateCheck;
  dependents: readonly CheckDependents[];
}

/** Effect of an update on a row: the columns that really differ. */
interface RowPatch {
  patch: Partial<CheckModel>;
  /** The new configuration; undefined: it stays. */
  config?: Record<string, unknown>;
  /** True when frequency, locations or enabled differ: the slots are others from now on. */
  isOfSchedule: boolean;
  /** True when anything differs that a runner needs. */
  isSeenByFleet: boolean;
}

/**
 * Changes the given fields of a check and returns its row. A `***` in the configuration keeps the stored secret. Concurrent updates of one check happen one after another, each on the outcome of
 * the one before.
 * @throws DomainError `not_found`, `invalid`, or `limit_exceeded` (only for what the update changes)
 */
export async function updateCheck(
  ctx: TeamContext,
  { id, update, dependents }: UpdateCheckInput,
): Promise<CheckModel> {
  const { services, teamId } = ctx;
  return changeRecord(ctx, async (trx) => {
    if (update.dependsOn !== undefined) await lockDependencies(trx, teamId);
    for (const dependent of dependents) await dependent.prepare?.(ctx, trx);
    const current = await lockCheckRow(trx, teamId, id);
    if (!current) throw notFound("Check");
    assertSameVersion(ctx, current);
    const change = patchOf(services, current, update);
    await assertPlanAllows(trx, current, change.patch);
    const { config } = change;
    const { dependsOn, name = current.name } = change.patch;
    if (dependsOn) await assertDependencies(trx, { teamId, check: { id, name }, dependsOn });
    if (config) {
      await assertSpecsExist(trx, { teamId, config, field: "configJson" });
      await assertSecretsExist(trx, { teamId, config, field: "configJson" });
      for (const dependent of dependents) await dependent.assertAllow?.(trx, current, config);
    }
    const nowMs = services.clock.nowMs();
    const patch: Partial<CheckModel> = { ...change.patch, updatedAt: new Date(nowMs).toISOString() };
    if (change.isSeenByFleet) patch.revision = await nextRevision(trx);
    if (change.isOfSchedule) await changeSchedule(trx, current, { patch, atMs: nowMs });
    const updated = await patchCheckRow(trx, current.key, {
      ...patch,
      ...(change.isSeenByFleet && markedForFleet()),
    });
    if (config && pushedTraitsOf(updated.type)) await expectFrom(trx, updated, nowMs);
    if (config) for (const dependent of dependents) await dependent.follow?.(ctx, trx, updated);
    if (change.isSeenByFleet) await wakeFleets(trx, "checks");
    return { result: updated, changes: [entryOf(services, current, updated)] };
  });
}

function patchOf({ secrets }: Services, current: CheckModel, body: UpdateCheck): RowPatch {
  if (body.type !== undefined && body.type !== current.type)
    throw invalidField("type", `the type of a check can't change; this one is ${current.type}`);
  if (pushedTraitsOf(current.type)) assertOfPushed(body);
  const patch: Partial<CheckModel> = {};
  let changedConfig: Record<string, unknown> | undefined;
  if (differs(body.name, current.name)) patch.name = body.name;
  if (differs(body.retry, current.retry)) patch.retry = body.retry;
  if (body.configJson !== undefined) {
    const stored = configFromRow(secrets, current);
    const config = parseConfigJson(
      current.type,
      keepMaskedCheckConfig(current.type, body.configJson, stored),
    );
    // Compared as JSON, which is how it is stored: undefined fields are none.
    if (differs(asJson(config), stored)) {
      assertWritten({ type: current.type, config, field: "configJson" });
      changedConfig = config;
      Object.assign(patch, configColumns(secrets, { checkId: current.id, type: current.type, config }));
    }
  }
  const derived = pushedFrequencySeconds(current.type, changedConfig ?? current.config);
  if (derived !== undefined) assertFollows(body.frequencySeconds, derived);
  const frequencySeconds = derived ?? body.frequencySeconds;
  if (differs(frequencySeconds, current.frequencySeconds)) patch.frequencySeconds = frequencySeconds;
  if (differs(body.locations, current.locationIds)) patch.locationIds = body.locations;
  if (differs(body.enabled, current.enabled)) patch.enabled = body.enabled;
  const isSeenByFleet = Object.keys(patch).length > 0;
  if (differs(body.dependsOn, current.dependsOn)) patch.dependsOn = body.dependsOn;
  return {
    patch,
    ...(changedConfig && { config: changedConfig }),
    isOfSchedule: "frequencySeconds" in patch || "locationIds" in patch || "enabled" in patch,
    isSeenByFleet,
  };
}

/** @throws DomainError `invalid` for fields that say how a check is probed */
function assertOfPushed({ locations, retry }: UpdateCheck): void {
  const problem = locations && pushLocationsSchema.safeParse(locations).error?.issues[0]?.message;
  if (problem !== undefined) throw invalidField("locations", problem);
  if (retry) throw invalidField("retry", "the check reports by itself, so nothing can be tried again");
}

function differs<T>(wanted: T | undefined, current: T): boolean {
  return wanted !== undefined && !isDeepStrictEqual(wanted, current);
}

function asJson(config: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(config));
}

async function assertPlanAllows(trx: Knex, current: CheckModel, patch: Partial<CheckModel>): Promise<void> {
  if (patch.locationIds === undefined && patch.frequencySeconds === undefined) return;
  assertWithinPlan(await loadPlan(trx, current.teamId), {
    locationCount: patch.locationIds?.length ?? 0,
    frequencySeconds: patch.frequencySeconds ?? Number.POSITIVE_INFINITY,
  });
}

/** Ends the schedule in force and begins the one that `patch` leads to. */
async function changeSchedule(
  trx: Knex,
  current: CheckModel,
  { patch, atMs }: { patch: Partial<CheckModel>; atMs: number },
): Promise<void> {
  const { revision = current.revision, frequencySeconds, locationIds, enabled } = patch;
  const schedule = {
    revision,
    frequencySeconds: frequencySeconds ?? current.frequencySeconds,
    locationKeys: await locationKeysOf(trx, current, locationIds),
    // While a maintenance window pauses the check, the change is to what it goes on with afterwards.
    // A pushed check has no slots that could be missing.
    enabled: (enabled ?? current.enabled) && !current.paused && !pushedTraitsOf(current.type),
  };
  await putScheduleInForce(trx, { checkKey: current.key, schedule, atMs });
}

async function locationKeysOf(
  trx: Knex,
  current: CheckModel,
  locationIds: string[] | undefined,
): Promise<number[]> {
  if (locationIds === undefined) return currentLocationKeys(trx, current.key);
  const { teamId, type, locationIds: alreadyUsed } = current;
  return locationKeysForUse(trx, { teamId, type, ids: locationIds, alreadyUsed });
}

function entryOf({ secrets }: Services, before: CheckModel, after: CheckModel): ChangeEntry {
  return {
    action: "updated",
    type: "check",
    resourceId: after.id,
    name: after.name,
    changedFields: changedFields(describeCheck(secrets, before), describeCheck(secrets, after), {
      before: describeCheckMasked(secrets, before),
      after: describeCheckMasked(secrets, after),
    }),
  };
}
