/** Steps that the verbs of instances share: the lock, the change with its event, the notification. */
import { type AlertEventType, type AlertInstanceId, DomainError, notFound, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queueHeldAlerts } from "../../outbox/held-alert-queue-store.ts";
import type { AlertNotification, AlertNotificationKind } from "../../outbox/payload.ts";
import { reportAlerts } from "../../outbox/report-alerts.ts";
import { lockSubjects } from "../evaluation/locks.ts";
import { readAlertChecks } from "../inputs/alert-check.ts";
import { insertAlertEvents } from "./event-store.ts";
import { notificationOf } from "./instance-notification.ts";
import { type InstanceDetailRow, isOpen } from "./row.ts";
import { findInstanceRow, type InstancePatch, patchInstanceRow } from "./store.ts";

/**
 * Returns the instance, and keeps its check or SLO from being evaluated until the transaction ends.
 * @throws DomainError `not_found`
 */
export async function lockInstance(
  trx: Knex,
  teamId: TeamId,
  id: AlertInstanceId,
): Promise<InstanceDetailRow> {
  const found = await findInstanceRow(trx, teamId, id);
  if (!found) throw notFound("Alert instance");
  await lockSubjects(trx, [found]);
  const instance = await findInstanceRow(trx, teamId, id);
  if (!instance) throw notFound("Alert instance");
  return instance;
}

/**
 * Does the work of {@link lockInstance} for a verb that needs an open instance.
 * @throws DomainError `not_found`, or `conflict` when the instance is recovered or resolved
 */
export async function lockOpenInstance(
  trx: Knex,
  teamId: TeamId,
  id: AlertInstanceId,
): Promise<InstanceDetailRow> {
  const instance = await lockInstance(trx, teamId, id);
  if (!isOpen(instance)) throw new DomainError("conflict", `Alert instance is ${instance.state} already`);
  return instance;
}

/** A change of an instance, with the event that its history shows. */
export interface InstanceChange {
  instance: InstanceDetailRow;
  patch: InstancePatch;
  event: { type: AlertEventType; actorId: string | null; detail?: Record<string, unknown> };
  /** Unix ms. */
  atMs: number;
}

/** Changes an instance and records the event. */
export async function changeInstance(
  trx: Knex,
  { instance, patch, event, atMs }: InstanceChange,
): Promise<void> {
  await patchInstanceRow(trx, instance.id, patch);
  const { teamId, id: instanceId, checkKey, severity, context } = instance;
  await insertAlertEvents(trx, [
    {
      teamId,
      instanceId,
      checkKey,
      severity,
      state: patch.state ?? instance.state,
      type: event.type,
      actorId: event.actorId,
      createdAtMs: atMs,
      detail: { summary: context.summary, ...event.detail },
    },
  ]);
}

/** A change of an instance that channels are notified of. `atMs`: Unix ms. */
export interface InstanceNotice {
  instance: InstanceDetailRow;
  kind: AlertNotificationKind;
  atMs: number;
  /** Person who acknowledged or resolved the instance; absent when the service itself changed it. */
  actorId?: string | null;
}

/** Puts a notification for the channels of the instance's rule into the outbox. */
export async function notifyChannels(trx: Knex, notice: InstanceNotice): Promise<void> {
  await reportAlerts(trx, await notificationsOf(trx, notice));
}

/** Hands an instance that is held back because of a location to those who open the incident of that. */
export async function queueHeldInstance(trx: Knex, held: Omit<InstanceNotice, "kind">): Promise<void> {
  await queueHeldAlerts(trx, await notificationsOf(trx, { ...held, kind: "triggered" }));
}

/** Returns the notification of the notice; none when the instance's check is gone. */
async function notificationsOf(
  trx: Knex,
  { instance, kind, atMs, actorId }: InstanceNotice,
): Promise<AlertNotification[]> {
  const { checkKey } = instance;
  const check = checkKey === null ? null : (await readAlertChecks(trx, [checkKey])).get(checkKey);
  if (check === undefined) return [];
  const { ruleId: id, ruleName: name, teamId, channelIds } = instance;
  return [
    notificationOf({
      kind,
      check,
      atMs,
      rule: { id, name, teamId, channelIds },
      instance: { ...instance, startedAtMs: Date.parse(instance.startedAt) },
      ...(actorId !== undefined && { actorId }),
    }),
  ];
}
