import {
  type CheckId,
  type CreateSlo,
  invalidField,
  newId,
  type Slo,
  sloScopeOf,
  type TeamId,
} from "@svc/contract";
import type { Knex } from "knex";
import { recordChange } from "../../accounts/change-log/store.ts";
import { holdCheckRow } from "../../checks/store.ts";
import type { Services } from "../../platform/services.ts";
import type { Author } from "../../platform/team-context.ts";
import { assertChannelsExist } from "../rules/create-rule.ts";
import { followRules } from "./generated-rules.ts";
import { type SloRow, sloFromRow } from "./row.ts";
import { findSloRow, insertSloRow } from "./store.ts";

/** Stores an SLO with the alert rules that it generates. @throws DomainError invalid (the check or a channel is not the team's) */
export async function createSlo(
  services: Services,
  teamId: TeamId,
  body: CreateSlo,
  author: Author,
): Promise<Slo> {
  const { knex, clock } = services;
  return knex.transaction(async (trx) => {
    const checkKey = body.checkId === null ? null : await holdCheckFor(trx, teamId, body.checkId as CheckId);
    await assertChannelsExist(trx, teamId, body.channelIds);
    const nowMs = clock.nowMs();
    const id = newId("slo");
    await insertSloRow(trx, {
      ...{ id, teamId, checkKey, scope: sloScopeOf(body.sloType) },
      name: body.name,
      sloType: body.sloType,
      patternId: body.patternId,
      sliType: body.sliType,
      perfThresholdMs: body.perfThresholdMs,
      targetBasisPoints: body.targetBasisPoints,
      windowDays: body.windowDays,
      burnRateAlertsEnabled: body.burnRateAlertsEnabled,
      channelIds: body.channelIds,
      enabled: body.enabled,
      createdAt: new Date(nowMs).toISOString(),
    });
    const row = (await findSloRow(trx, teamId, id)) as SloRow;
    await followRules(services, trx, row);
    await recordChange(trx, {
      ...{ teamId, author, action: "created", type: "slo", atMs: nowMs },
      ...{ resourceId: id, name: row.name },
    });
    return sloFromRow(row);
  });
}

/** Key of the team's check, which is kept from being deleted until the transaction ends. @throws DomainError invalid */
export async function holdCheckFor(trx: Knex, teamId: TeamId, checkId: CheckId): Promise<number> {
  const check = await holdCheckRow(trx, teamId, checkId);
  if (!check) throw invalidField("checkId", `"${checkId}" is not a check; GET /api/checks lists them`);
  return check.key;
}
