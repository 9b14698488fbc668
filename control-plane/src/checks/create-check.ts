import { type Check, type CreateCheck, checkTypes, configOf, newId } from "@svc/contract";
import type { Knex } from "knex";
import { changeRecord } from "../accounts/change-log/change-record.ts";
import { assertWithinPlan, loadPlan } from "../accounts/teams/plans.ts";
import { wakeFleets } from "../platform/db/wake-ups.ts";
import type { TeamContext } from "../platform/team-context.ts";
import { assertSpecsExist } from "./api-specs/assert-specs-exist.ts";
import { dispatchFirstRun } from "./first-runs/dispatch-first-run.ts";
import { locationRowsForUse } from "./locations/store.ts";
import { checkFromRow, configColumns } from "./row.ts";
import { countChecksExclusively, insertCheckRow, nextRevision, putScheduleInForce } from "./store.ts";
import { assertSecretsExist } from "./team-secrets/assert-secrets-exist.ts";
import { usableLocations } from "./usable-locations.ts";

/**
 * Stores a check and puts its schedule in force; an enabled one also runs at once in each of its locations, or a
 * little later when its team has created many.
 * @throws DomainError `limit_exceeded`, or `invalid` when a location can't be used or a spec or secret is not known
 */
export async function createCheck(ctx: TeamContext, input: CreateCheck): Promise<Check> {
  const { teamId, services } = ctx;
  const { name, type, enabled, frequencySeconds, retry } = input;
  const config = configOf(input);
  const row = await changeRecord(ctx, async (trx) => {
    await assertPlanAllows(ctx, trx, input);
    const field = checkTypes.get(type).configKey;
    await assertSpecsExist(trx, { teamId, config, field });
    await assertSecretsExist(trx, { teamId, config, field });
    const known = await locationRowsForUse(trx, teamId, input.locations);
    const locationKeys = usableLocations(input.locations, known).map((location) => location.key);
    const nowMs = services.clock.nowMs();
    const revision = await nextRevision(trx);
    const checkId = newId("check");
    const inserted = await insertCheckRow(trx, {
      ...configColumns(services.secrets, { checkId, type, config }),
      id: checkId,
      teamId,
      name,
      type,
      frequencySeconds,
      enabled,
      retry,
      revision,
      locationIds: input.locations,
      createdAt: new Date(nowMs).toISOString(),
    });
    await putScheduleInForce(trx, {
      checkKey: inserted.key,
      schedule: { revision, frequencySeconds, locationKeys, enabled },
      atMs: nowMs,
    });
    if (enabled) await dispatchFirstRun(trx, { teamId, check: inserted, locationKeys, atMs: nowMs });
    await wakeFleets(trx, "checks");
    return {
      result: inserted,
      changes: [{ action: "created", type: "check", resourceId: inserted.id, name }],
    };
  });
  return checkFromRow(services.secrets, row);
}

async function assertPlanAllows({ teamId }: TeamContext, trx: Knex, input: CreateCheck): Promise<void> {
  const plan = await loadPlan(trx, teamId);
  const checkCount = plan.maxChecks === null ? undefined : (await countChecksExclusively(trx, teamId)) + 1;
  assertWithinPlan(plan, {
    checkCount,
    locationCount: input.locations.length,
    frequencySeconds: input.frequencySeconds,
  });
}
