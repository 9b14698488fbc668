import {
  type CheckId,
  DomainError,
  invalidField,
  notFound,
  perfThresholdProblem,
  type Slo,
  TEAM_WIDE_CHECK_MESSAGE,
  type TeamId,
  type UpdateSlo,
} from "@svc/contract";
import type { Knex } from "knex";
import { changedFields } from "../../accounts/change-log/changed-fields.ts";
import { recordChange } from "../../accounts/change-log/store.ts";
import { findCheckRow } from "../../checks/store.ts";
import type { Services } from "../../platform/services.ts";
import type { Author } from "../../platform/team-context.ts";
import { lockChecks } from "../evaluation/locks.ts";
import { assertChannelsExist } from "../rules/create-rule.ts";
import { holdCheckFor } from "./create-slo.ts";
import { followRules } from "./generated-rules.ts";
import { describeSlo, type SloModel, type SloRow, sloFromRow } from "./row.ts";
import { findSloRow, lockSloRow, patchSloRow } from "./store.ts";

/**
 * Changes what is given, and the generated alert rules with it; concurrent updates happen one after another.
 * @throws DomainError not_found, invalid (naming the field, those that can't change included)
 */
export async function updateSlo(
  services: Services,
  teamId: TeamId,
  id: string,
  body: UpdateSlo,
  author: Author,
): Promise<Slo> {
  return services.knex.transaction(async (trx) => {
    const current = await lockSlo(trx, teamId, id, (body.checkId ?? undefined) as CheckId | undefined);
    assertFits(current, body);
    if (body.channelIds) await assertChannelsExist(trx, teamId, body.channelIds);
    const nowMs = services.clock.nowMs();
    await patchSloRow(trx, current.key, {
      ...(await patchOf(trx, current, body)),
      updatedAt: new Date(nowMs).toISOString(),
    });
    const updated = (await findSloRow(trx, teamId, id)) as SloRow;
    await followRules(services, trx, updated);
    await recordChange(trx, {
      ...{ teamId, author, action: "updated", type: "slo", atMs: nowMs },
      ...{ resourceId: id, name: updated.name },
      changedFields: changedFields(describeSlo(current), describeSlo(updated)),
    });
    return sloFromRow(updated);
  });
}

/**
 * The SLO, with no evaluation of its check (nor of the one it moves to) going on until the transaction ends.
 * @throws DomainError not_found; conflict when it moved to another check at this very moment
 */
export async function lockSlo(trx: Knex, teamId: TeamId, id: string, nextCheckId?: CheckId): Promise<SloRow> {
  const found = await findSloRow(trx, teamId, id);
  const next = nextCheckId === undefined ? undefined : await findCheckRow(trx, teamId, nextCheckId);
  const checkKeys = [found?.checkKey, next?.key].filter((key) => typeof key === "number");
  await lockChecks(trx, checkKeys);
  const row = await lockSloRow(trx, teamId, id);
  if (!row) throw notFound("SLO");
  if (row.checkKey !== found?.checkKey)
    throw new DomainError("conflict", "The SLO was changed at the same time; try again");
  return row;
}

const IMMUTABLE = ["sloType", "sliType", "scope", "patternId"] as const;

function assertFits(current: SloRow, body: UpdateSlo): void {
  for (const field of IMMUTABLE)
    if (body[field] !== undefined && body[field] !== current[field])
      throw invalidField(field, `${field} of an SLO can't change; this one's is ${current[field] ?? "null"}`);
  if (body.checkId !== undefined && body.checkId !== current.checkId) {
    if (current.scope === "team") throw invalidField("checkId", TEAM_WIDE_CHECK_MESSAGE);
    if (body.checkId === null) throw invalidField("checkId", "required for an SLO of type check");
  }
  if (body.perfThresholdMs === undefined) return;
  const problem = perfThresholdProblem(current.sliType, body.perfThresholdMs);
  if (problem) throw invalidField("perfThresholdMs", problem);
}

async function patchOf(trx: Knex, current: SloRow, body: UpdateSlo): Promise<Partial<SloModel>> {
  const { name, targetBasisPoints, windowDays, burnRateAlertsEnabled, channelIds, enabled, perfThresholdMs } =
    body;
  const given = Object.entries({
    ...{ name, targetBasisPoints, windowDays, burnRateAlertsEnabled, channelIds, enabled, perfThresholdMs },
  }).filter(([, value]) => value !== undefined);
  const movesTo = body.checkId && body.checkId !== current.checkId ? body.checkId : undefined;
  return {
    ...Object.fromEntries(given),
    ...(movesTo === undefined
      ? {}
      : { checkKey: await holdCheckFor(trx, current.teamId, movesTo as CheckId) }),
  };
}
