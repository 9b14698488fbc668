import { CHECK_TYPES, type Check, type CreateCheck, configOf, newId } from "@svc/contract";
import type { Knex } from "knex";
import { type Author, OPERATOR } from "../accounts/change-log/author.ts";
import { recordChange } from "../accounts/change-log/store.ts";
import { assertWithinPlan, loadPlan } from "../accounts/teams/plans.ts";
import { notifyChange } from "../platform/db/change-listener.ts";
import type { Services } from "../platform/services.ts";
import { assertSpecsExist } from "./api-specs/assert-specs-exist.ts";
import { locationRowsForUse } from "./locations/store.ts";
import { orderRun } from "./order-run.ts";
import { checkFromRow, configColumns } from "./row.ts";
import { countChecksExclusively, insertCheckRow, nextRevision, putScheduleInForce } from "./store.ts";
import { usableLocations } from "./usable-locations.ts";

/**
 * Stores a check and puts its schedule in force; an enabled one also runs at once in each of its locations.
 * @throws DomainError limit_exceeded, invalid (a location can't be used, a spec is not known)
 */
export async function createCheck(
  services: Services,
  teamId: string,
  body: CreateCheck,
  author: Author = OPERATOR,
): Promise<Check> {
  const row = await services.knex.transaction(async (trx) => {
    await assertPlanAllows(trx, teamId, body);
    await assertSpecsExist(trx, teamId, configOf(body), CHECK_TYPES[body.type].configKey);
    const known = await locationRowsForUse(trx, teamId, body.locations);
    const locationKeys = usableLocations(body.locations, known).map((location) => location.key);
    const nowMs = services.clock.nowMs();
    const { name, type, enabled, frequencySeconds, retry } = body;
    const revision = await nextRevision(trx);
    const inserted = await insertCheckRow(trx, {
      ...configColumns(services.secrets, configOf(body)),
      ...{ id: newId("check"), teamId, name, type, frequencySeconds, enabled, retry, revision },
      locationIds: body.locations,
      createdAt: new Date(nowMs).toISOString(),
    });
    const schedule = { revision, frequencySeconds, locationKeys, enabled };
    await putScheduleInForce(trx, inserted.key, schedule, nowMs);
    if (enabled) await orderRun(trx, inserted, locationKeys, nowMs, "first_run");
    await notifyChange(trx, "checks");
    await recordChange(trx, {
      ...{ teamId, author, action: "created", type: "check", atMs: nowMs },
      ...{ resourceId: inserted.id, name },
    });
    return inserted;
  });
  return checkFromRow(services.secrets, row);
}

async function assertPlanAllows(trx: Knex, teamId: string, body: CreateCheck): Promise<void> {
  const plan = await loadPlan(trx, teamId);
  const checkCount = plan.maxChecks === null ? undefined : (await countChecksExclusively(trx, teamId)) + 1;
  assertWithinPlan(plan, {
    checkCount,
    locationCount: body.locations.length,
    frequencySeconds: body.frequencySeconds,
  });
}
