import {
  type ChannelId,
  type CheckId,
  invalidField,
  perfThresholdProblem,
  type Slo,
  type SloId,
  TEAM_WIDE_CHECK_MESSAGE,
  type UpdateSlo,
} from "@svc/contract";
import type { Knex } from "knex";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { changedFields } from "../../accounts/change-log/changed-fields.ts";
import { assertChannelsExist } from "../../outbox/channels/assert-channels-exist.ts";
import { assertSameVersion } from "../../platform/http/record-version.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { assertRulesOfCheckWithinCap } from "../rules/assert-rules-of-check-within-cap.ts";
import { syncGeneratedRules } from "./generated-rules.ts";
import { holdCheckOfSlo } from "./hold-subject-of-slo.ts";
import { lockSlo } from "./lock-slo.ts";
import { describeSlo, type SloModel, type SloRow, sloFromRow } from "./row.ts";
import { findSloRow, patchSloRow } from "./store.ts";

/** The SLO to change, and its new fields. */
export interface UpdateSloInput {
  id: SloId;
  update: UpdateSlo;
}

/**
 * Changes the given fields of an SLO, and the alert rules that it generates with them. Concurrent updates of one SLO happen
 * one after another.
 * @throws DomainError `not_found`, `invalid` (naming the field, also one that can't change), or `conflict` when the SLO
 *   moved to another check at this very moment
 */
export async function updateSlo(ctx: TeamContext, { id, update }: UpdateSloInput): Promise<Slo> {
  const { teamId, services } = ctx;
  return changeRecord(ctx, async (trx) => {
    const nextCheckId = (update.checkId ?? undefined) as CheckId | undefined;
    const current = await lockSlo(trx, { teamId, id, nextCheckId });
    assertSameVersion(ctx, current);
    assertMayBecome(current, update);
    if (update.channelIds) await assertChannelsExist(trx, teamId, update.channelIds);
    const atMs = services.clock.nowMs();
    await patchSloRow(trx, current.key, {
      ...(await patchOf(trx, current, update)),
      updatedAt: new Date(atMs).toISOString(),
    });
    const updated = (await findSloRow(trx, teamId, id)) as SloRow;
    await syncGeneratedRules(trx, updated, atMs);
    if (updated.checkKey !== null && updated.checkKey !== current.checkKey)
      await assertRulesOfCheckWithinCap(ctx, trx, updated.checkKey);
    return {
      result: sloFromRow(updated),
      changes: [
        {
          action: "updated",
          type: "slo",
          resourceId: id,
          name: updated.name,
          changedFields: changedFields(describeSlo(current), describeSlo(updated)),
        },
      ],
    };
  });
}

const IMMUTABLE = ["sloType", "sliType", "scope", "patternId"] as const;

function assertMayBecome(current: SloRow, update: UpdateSlo): void {
  for (const field of IMMUTABLE)
    if (update[field] !== undefined && update[field] !== current[field])
      throw invalidField(field, `${field} of an SLO can't change; this one's is ${current[field] ?? "null"}`);
  if (update.checkId !== undefined && update.checkId !== current.checkId) {
    if (current.scope === "team") throw invalidField("checkId", TEAM_WIDE_CHECK_MESSAGE);
    if (update.checkId === null) throw invalidField("checkId", "required for an SLO of type check");
  }
  if (update.perfThresholdMs === undefined) return;
  const problem = perfThresholdProblem(current.sliType, update.perfThresholdMs);
  if (problem) throw invalidField("perfThresholdMs", problem);
}

async function patchOf(trx: Knex, current: SloRow, update: UpdateSlo): Promise<Partial<SloModel>> {
  const patch: Partial<SloModel> = {};
  if (update.name !== undefined) patch.name = update.name;
  if (update.targetBasisPoints !== undefined) patch.targetBasisPoints = update.targetBasisPoints;
  if (update.windowDays !== undefined) patch.windowDays = update.windowDays;
  if (update.burnRateAlertsEnabled !== undefined) patch.burnRateAlertsEnabled = update.burnRateAlertsEnabled;
  if (update.channelIds !== undefined) patch.channelIds = update.channelIds as ChannelId[];
  if (update.enabled !== undefined) patch.enabled = update.enabled;
  if (update.perfThresholdMs !== undefined) patch.perfThresholdMs = update.perfThresholdMs;
  if (update.checkId && update.checkId !== current.checkId)
    patch.checkKey = await holdCheckOfSlo(trx, current.teamId, update.checkId as CheckId);
  return patch;
}
