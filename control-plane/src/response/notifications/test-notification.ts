/** A channel tried out by hand: one attempt at once, with an incident or an alert that never was. */
import {
  type Delivery,
  DomainError,
  type IncidentEventType,
  incidentEvents,
  MINUTE_MS,
  newId,
  notFound,
  type TeamId,
  type TestChannel,
} from "@svc/contract";
import { getChannelRow } from "../../outbox/channels/get-channel.ts";
import type { ChannelModel } from "../../outbox/channels/row.ts";
import type { AlertNotificationKind, AlertNotificationPayload } from "../../outbox/payload.ts";
import { takesAlertsOnly } from "../../outbox/recipient.ts";
import { queryRows } from "../../platform/db/rows.ts";
import type { Services } from "../../platform/services.ts";
import { exampleOfIncident } from "../incidents/example.ts";
import { type DeliveryTools, deliver } from "./deliver.ts";
import { claimNotification, getDelivery } from "./store.ts";

/** A channel is tried out at most once in this time. */
export const TEST_INTERVAL_SECONDS = 60;
/** More than an attempt takes: no worker comes in between. */
export const HAND_LEASE_MS = MINUTE_MS;

/**
 * Sends a test notification and waits for its outcome, which is recorded as a delivery.
 * @throws DomainError not_found, rate_limited (with the seconds to wait)
 */
export async function sendTest(
  services: Services,
  tools: DeliveryTools,
  teamId: TeamId,
  channelId: string,
  { eventType }: TestChannel,
): Promise<Delivery> {
  const { knex, clock } = services;
  const channel = await getChannelRow(knex, teamId, channelId);
  await takeTurn(services, channel.key);
  const [row] = await knex("notifications")
    .insert({
      id: newId("notification"),
      teamId,
      channelKey: channel.key,
      ...exampleFor(channel, eventType, clock.nowMs()),
      isRetried: false,
      isTest: true,
      // Not due for the workers: it is taken here.
      dueAt: knex.raw(`clock_timestamp() + ? * interval '1 ms'`, [HAND_LEASE_MS]),
    })
    .returning("key");
  const claimed = await claimNotification(knex, row.key, { owner: tools.owner, leaseMs: HAND_LEASE_MS });
  if (!claimed) throw notFound("Notification channel");
  return getDelivery(knex, await deliver(tools, claimed));
}

/** Something to tell the channel. acknowledged is an incident's where incident events are sent. */
function exampleFor(
  { type, incidentSubscribed }: ChannelModel,
  wanted: TestChannel["eventType"],
  nowMs: number,
): { kind: string; subjectId: string; payload: string } {
  const alertsOnly = takesAlertsOnly({ type, isSubscribed: incidentSubscribed });
  const eventType = wanted ?? (alertsOnly ? "triggered" : "opened");
  if (isIncidentEvent(eventType) && !(alertsOnly && eventType === "acknowledged")) {
    const incidentId = newId("incident");
    const example = exampleOfIncident(eventType, incidentId, exampleOf("triggered", nowMs), nowMs);
    return { kind: `incident.${eventType}`, subjectId: incidentId, payload: JSON.stringify(example) };
  }
  const kind = eventType as AlertNotificationKind;
  return { kind, subjectId: newId("alertInstance"), payload: JSON.stringify(exampleOf(kind, nowMs)) };
}

function isIncidentEvent(eventType: string): eventType is IncidentEventType {
  return (incidentEvents.types as readonly string[]).includes(eventType);
}

/** One test at a time and channel, whichever replica is asked. */
async function takeTurn({ knex, clock }: Services, channelKey: number): Promise<void> {
  const now = new Date(clock.nowMs());
  const since = new Date(clock.nowMs() - TEST_INTERVAL_SECONDS * 1000);
  const taken = await queryRows(
    knex,
    `UPDATE notification_channels SET last_tested_at = :now
     WHERE key = :channelKey AND (last_tested_at IS NULL OR last_tested_at <= :since) RETURNING key`,
    { channelKey, now, since },
  );
  if (taken.length > 0) return;
  const row = await knex("notificationChannels").where({ key: channelKey }).first("lastTestedAt");
  if (!row) throw notFound("Notification channel");
  const waitMs = Date.parse(row.lastTestedAt) + TEST_INTERVAL_SECONDS * 1000 - clock.nowMs();
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  throw new DomainError(
    "rate_limited",
    `A channel can be tested once in ${TEST_INTERVAL_SECONDS} seconds; try again in ${retryAfterSeconds} s`,
    { retryAfterSeconds },
  );
}

/** What a test says; nothing of it exists. */
export function exampleOf(kind: AlertNotificationKind, nowMs: number): AlertNotificationPayload {
  const hasEnded = kind === "recovered" || kind === "resolved";
  const lastedMs = 300_000;
  return {
    rule: { id: newId("alertRule"), name: "Example rule" },
    check: { id: newId("check"), name: "Example check", type: "http" },
    severity: "critical",
    summary: hasEnded
      ? "This is a test: the example check succeeds again."
      : "This is a test: the example check is failing: status 503, expected 200.",
    startedAt: new Date(nowMs - lastedMs).toISOString(),
    occurredAt: new Date(nowMs).toISOString(),
    durationMs: hasEnded ? lastedMs : null,
    context: { conditions: [{ type: "consecutive_failures", threshold: 2, observed: 2, resultIds: [] }] },
    targetUrl: "https://example.com/",
    locations: ["US East (Virginia)"],
    traceId: null,
  };
}
