import { type ChannelId, type CheckId, type CreateSlo, newId, type Slo, sloScopeOf } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { assertChannelsExist } from "../../outbox/channels/assert-channels-exist.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { assertRulesOfCheckWithinCap } from "../rules/assert-rules-of-check-within-cap.ts";
import { syncGeneratedRules } from "./generated-rules.ts";
import { holdCheckOfSlo, holdPatternOfSlo } from "./hold-subject-of-slo.ts";
import { type SloRow, sloFromRow } from "./row.ts";
import { findSloRow, insertSloRow } from "./store.ts";

/**
 * Stores an SLO with the alert rules that it generates.
 * @throws DomainError `invalid` when the team has no such check, pattern or channel, `limit_exceeded` when the team or
 *   the check has as many SLOs and rules as it may
 */
export async function createSlo(ctx: TeamContext, input: CreateSlo): Promise<Slo> {
  const { teamId, services } = ctx;
  return changeRecord(ctx, async (trx) => {
    const checkKey =
      input.checkId === null ? null : await holdCheckOfSlo(trx, teamId, input.checkId as CheckId);
    const patternId = input.patternId === null ? null : await holdPatternOfSlo(trx, teamId, input.patternId);
    await assertChannelsExist(trx, teamId, input.channelIds);
    const id = newId("slo");
    const atMs = services.clock.nowMs();
    await insertSloRow(trx, {
      id,
      teamId,
      checkKey,
      scope: sloScopeOf(input.sloType),
      name: input.name,
      sloType: input.sloType,
      patternId,
      sliType: input.sliType,
      perfThresholdMs: input.perfThresholdMs,
      targetBasisPoints: input.targetBasisPoints,
      windowDays: input.windowDays,
      burnRateAlertsEnabled: input.burnRateAlertsEnabled,
      channelIds: input.channelIds as ChannelId[],
      enabled: input.enabled,
      createdAt: new Date(atMs).toISOString(),
    });
    const slo = (await findSloRow(trx, teamId, id)) as SloRow;
    await syncGeneratedRules(trx, slo, atMs);
    if (checkKey !== null) await assertRulesOfCheckWithinCap(ctx, trx, checkKey);
    return {
      result: sloFromRow(slo),
      changes: [{ action: "created", type: "slo", resourceId: id, name: slo.name }],
    };
  });
}
