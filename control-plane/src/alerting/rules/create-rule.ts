import {
  type CheckId,
  type Condition,
  type CreateAlertRule,
  invalidField,
  newId,
  notFound,
  type TeamId,
} from "@svc/contract";
import type { Knex } from "knex";
import { recordChange } from "../../accounts/change-log/store.ts";
import { holdCheckRow } from "../../checks/store.ts";
import { holdChannels } from "../../outbox/channels/store.ts";
import type { Services } from "../../platform/services.ts";
import type { Author } from "../../platform/team-context.ts";
import { findSloIds, insertRuleRow } from "./store.ts";

/**
 * Stores a rule of the check; the next result is judged by it.
 * @returns its id   @throws DomainError not_found (the check), invalid (a channel or an SLO is not the team's)
 */
export async function createRule(
  { knex, clock }: Services,
  teamId: TeamId,
  checkId: CheckId,
  body: CreateAlertRule,
  author: Author,
): Promise<string> {
  return knex.transaction(async (trx) => {
    const check = await holdCheckRow(trx, teamId, checkId);
    if (!check) throw notFound("Check");
    await assertChannelsExist(trx, teamId, body.channelIds);
    await assertSlosExist(trx, teamId, body.conditions);
    const { name, enabled, conditions, channelIds, confirm, recovery } = body;
    const nowMs = clock.nowMs();
    const row = await insertRuleRow(trx, {
      ...{
        id: newId("alertRule"),
        teamId,
        checkKey: check.key,
        name,
        enabled,
        conditions,
        channelIds,
        confirm,
      },
      recoverySuccesses: recovery.consecutiveSuccesses,
      createdAt: new Date(nowMs).toISOString(),
    });
    await recordChange(trx, {
      ...{ teamId, author, action: "created", type: "alert", resourceId: row.id, name, atMs: nowMs },
    });
    return row.id;
  });
}

/** Keeps the channels from being deleted until the transaction ends. @throws DomainError invalid, naming those unknown */
export async function assertChannelsExist(
  trx: Knex,
  teamId: TeamId,
  channelIds: readonly string[],
): Promise<void> {
  const known = new Set<string>((await holdChannels(trx, teamId, channelIds)).map(({ id }) => id));
  const unknown = channelIds.filter((id) => !known.has(id));
  if (unknown.length > 0) throw invalidField("channelIds", `no such channel: ${unknown.join(", ")}`);
}

/** Of burn_rate conditions: a rule about an SLO that is not there would never fire. @throws DomainError invalid, naming those unknown */
export async function assertSlosExist(
  trx: Knex,
  teamId: TeamId,
  conditions: readonly Condition[],
): Promise<void> {
  const named = conditions.flatMap((condition) => (condition.type === "burn_rate" ? [condition.sloId] : []));
  const known = new Set(await findSloIds(trx, teamId, named));
  const unknown = named.filter((id) => !known.has(id));
  if (unknown.length > 0)
    throw invalidField("conditions", `sloId: no such SLO: ${unknown.join(", ")}; GET /api/slos lists them`);
}
