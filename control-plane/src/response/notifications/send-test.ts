import {
  CHANNEL_TEST_INTERVAL_SECONDS,
  type ChannelId,
  type Delivery,
  DomainError,
  incidentEventTypes,
  MINUTE_MS,
  newId,
  notFound,
  type TestChannel,
} from "@svc/contract";
import { audienceOf } from "../../outbox/audience.ts";
import { getChannelRow } from "../../outbox/channels/get-channel.ts";
import type { ChannelModel } from "../../outbox/channels/row.ts";
import { isIncidentEvent } from "../../outbox/incident-occasions/registry.ts";
import { type AlertNotificationKind, LOCATION_NOTIFICATION_KIND } from "../../outbox/payload.ts";
import { wantsAlertsOnly } from "../../outbox/recipient.ts";
import { queryRows } from "../../platform/db/rows.ts";
import type { Services } from "../../platform/services.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { exampleOfIncident } from "../incidents/example.ts";
import { deliver } from "./deliver.ts";
import { getDelivery } from "./delivery-store.ts";
import type { DeliveryTools } from "./delivery-tools.ts";
import { exampleOfAlert, exampleOfLocation } from "./example.ts";
import { claimNotification } from "./queue-store.ts";

/** Lease of an attempt by hand, ms: longer than the attempt, so that no worker comes in between. */
export const HAND_LEASE_MS = MINUTE_MS;

/** The channel to test, and the event that the test is about. */
export interface SendTestInput extends TestChannel {
  id: ChannelId;
  tools: DeliveryTools;
}

/**
 * Tries a channel out: sends an example at once and waits for the outcome, which is recorded as a delivery.
 * @throws DomainError `not_found`; `rate_limited`, with the seconds to wait
 */
export async function sendTest(
  { services, teamId }: TeamContext,
  { id, eventType, tools }: SendTestInput,
): Promise<Delivery> {
  const { knex, clock } = services;
  const channel = await getChannelRow(knex, teamId, id);
  await assertMayTest(services, channel.key);
  tools.handBudgets.spend(teamId, channel.id);
  const [row] = await knex("notifications")
    .insert({
      id: newId("notification"),
      teamId,
      channelKey: channel.key,
      ...exampleFor(channel, eventType, clock.nowMs()),
      isRetried: false,
      isTest: true,
      // Not due for the workers until the lease ends: the row is claimed below.
      dueAt: knex.raw(`clock_timestamp() + ? * interval '1 ms'`, [HAND_LEASE_MS]),
    })
    .returning("key");
  const claimed = await claimNotification(knex, row.key, { owner: tools.owner, leaseMs: HAND_LEASE_MS });
  if (!claimed) throw notFound("Notification channel");
  return getDelivery(knex, await deliver(tools, claimed));
}

/** Returns the example to send. `acknowledged` is an incident's event for channels that get incident events. */
function exampleFor(
  { type, incidentSubscribed }: ChannelModel,
  wanted: TestChannel["eventType"],
  nowMs: number,
): { kind: string; subjectId: string; payload: string } {
  const alertsOnly = wantsAlertsOnly({ audience: audienceOf(type), isSubscribed: incidentSubscribed });
  const eventType = wanted ?? (alertsOnly ? "triggered" : incidentEventTypes.types[0]);
  if (isIncidentEvent(eventType) && !(alertsOnly && eventType === "acknowledged")) {
    const incidentId = newId("incident");
    const alert = exampleOfAlert("triggered", nowMs);
    const example = exampleOfIncident({ eventType, incidentId, alert, nowMs });
    return { kind: `incident.${eventType}`, subjectId: incidentId, payload: JSON.stringify(example) };
  }
  if (eventType === LOCATION_NOTIFICATION_KIND) {
    const example = exampleOfLocation(nowMs);
    return { kind: eventType, subjectId: example.location.id, payload: JSON.stringify(example) };
  }
  const kind = eventType as AlertNotificationKind;
  return { kind, subjectId: newId("alertInstance"), payload: JSON.stringify(exampleOfAlert(kind, nowMs)) };
}

/**
 * Counts a test of the channel, whichever replica is asked.
 * @throws DomainError `rate_limited` when the last test is too recent
 */
async function assertMayTest({ knex, clock }: Services, channelKey: number): Promise<void> {
  const now = new Date(clock.nowMs());
  const since = new Date(clock.nowMs() - CHANNEL_TEST_INTERVAL_SECONDS * 1000);
  const counted = await queryRows(
    knex,
    `UPDATE notification_channels SET last_tested_at = :now
     WHERE key = :channelKey AND (last_tested_at IS NULL OR last_tested_at <= :since) RETURNING key`,
    { channelKey, now, since },
  );
  if (counted.length > 0) return;
  const row = await knex("notificationChannels").where({ key: channelKey }).first("lastTestedAt");
  if (!row) throw notFound("Notification channel");
  const waitMs = Date.parse(row.lastTestedAt) + CHANNEL_TEST_INTERVAL_SECONDS * 1000 - clock.nowMs();
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  throw new DomainError(
    "rate_limited",
    `A channel can be tested once in ${CHANNEL_TEST_INTERVAL_SECONDS} seconds; try again in ${retryAfterSeconds} s`,
    { retryAfterSeconds },
  );
}
