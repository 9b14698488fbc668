/** What people do to an instance shares this: its lock, the row, the event, the notification. */
import { type AlertEventType, type AlertState, notFound, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { AlertNotificationKind } from "../../outbox/payload.ts";
import { reportAlerts } from "../../outbox/report-alerts.ts";
import { lockChecks } from "../evaluation/locks.ts";
import { readAlertChecks } from "../inputs/result-store.ts";
import { notificationOf } from "./instance-notification.ts";
import type { InstanceDetailRow } from "./row.ts";
import { findInstanceRow } from "./store.ts";
import { insertAlertEvents } from "./transition-store.ts";

/** The instance, with no evaluation of its check going on until the transaction ends. @throws DomainError not_found */
export async function lockInstance(trx: Knex, teamId: TeamId, id: string): Promise<InstanceDetailRow> {
  const found = await findInstanceRow(trx, teamId, id);
  if (!found) throw notFound("Alert instance");
  await lockChecks(trx, [found.checkKey]);
  const row = await findInstanceRow(trx, teamId, id);
  if (!row) throw notFound("Alert instance");
  return row;
}

export function isOpen({ state }: Pick<InstanceDetailRow, "state">): boolean {
  return state === "active" || state === "acknowledged";
}

/** Changes the row and notes the event. */
export async function changeInstance(
  trx: Knex,
  row: InstanceDetailRow,
  patch: Record<string, unknown> & { state?: AlertState },
  event: { type: AlertEventType; actorId: string | null; detail?: Record<string, unknown> },
  nowMs: number,
): Promise<void> {
  await trx("alertInstances").where({ id: row.id }).update(patch);
  const { teamId, id: instanceId, checkKey, severity, context } = row;
  await insertAlertEvents(trx, [
    {
      ...{ teamId, instanceId, checkKey, severity, state: patch.state ?? row.state },
      ...{ type: event.type, actorId: event.actorId, createdAtMs: nowMs },
      detail: { summary: context.summary, ...event.detail },
    },
  ]);
}

/** Tells the rule's channels. */
export async function tellChannels(
  trx: Knex,
  row: InstanceDetailRow,
  kind: AlertNotificationKind,
  nowMs: number,
  actorId?: string | null,
): Promise<void> {
  const check = (await readAlertChecks(trx, [row.checkKey])).get(row.checkKey);
  if (!check) return;
  const { ruleId: id, ruleName: name, teamId, channelIds } = row;
  const isEnd = kind === "recovered" || kind === "resolved";
  await reportAlerts(trx, [
    notificationOf({
      ...{ kind, check, isEnd, atMs: nowMs },
      rule: { id, name, teamId, channelIds },
      instance: { ...row, startedAtMs: Date.parse(row.startedAt) },
      ...(actorId === undefined ? {} : { actorId }),
    }),
  ]);
}
