/** Workers that deliver notifications to receivers on loopback: a REST app, its channels, the outbox and its queue. */
import { randomUUID } from "node:crypto";
import { type AlertInstanceId, type ChannelId, newId } from "@svc/contract";
import { onTestFinished } from "vitest";
import { registerChannelRoutes } from "../src/outbox/channels/routes.ts";
import type { AlertNotificationKind } from "../src/outbox/payload.ts";
import { reportAlerts } from "../src/outbox/report-alerts.ts";
import { createDeliveryTools, type DeliveryOptions } from "../src/response/notifications/delivery-tools.ts";
import { registerNotificationRoutes } from "../src/response/notifications/routes.ts";
import { NotificationWorker } from "../src/response/notifications/worker.ts";
import { createTestApp, type TestApp } from "./app.ts";
import { aPayload } from "./notifications.ts";

export const CHANNELS_PATH = "/api/notification-channels";

interface WorkerOptions extends DeliveryOptions {
  leaseMs?: number;
  pollIntervalMs?: number;
}

/** A REST app with channels, and the steps that tests of the notification worker are written in. */
export interface NotificationTest extends TestApp {
  /** Deletes all notifications and makes a new team the current one. */
  beginAnew(): Promise<void>;
  /** Creates a webhook that takes alerts, not incidents. */
  aChannel(url: string): Promise<ChannelId>;
  /** Starts a replica's worker until the test ends. */
  aWorker(options?: WorkerOptions): { close(): Promise<void> };
  /** Writes a notification about an alert to the outbox. */
  report(
    channelIds: ChannelId[],
    instanceId?: AlertInstanceId,
    kind?: AlertNotificationKind,
  ): Promise<number>;
  /** Returns how many notifications wait. */
  pending(): Promise<number>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was answered
  deliveriesOf(channelId: string): Promise<any>;
  /** Makes notifications due that wait for a further attempt; those that a worker has claimed stay with it. */
  hurry(): Promise<unknown>;
}

/**
 * Creates the test. Call `beginAnew` before each test of the file.
 * @param register registers further routes
 */
export async function createNotificationTest(
  register: (app: TestApp["app"], services: TestApp["services"]) => void = () => undefined,
): Promise<NotificationTest> {
  const test = await createTestApp({
    settings: { SVC_EGRESS_PRIVATE: "allow" },
    register: (app, services) => {
      registerChannelRoutes(app, services);
      registerNotificationRoutes(app, services, createDeliveryTools(services));
      register(app, services);
    },
  });
  const { knex } = test.services;
  return Object.assign(test, {
    beginAnew: async () => {
      await knex("notifications").delete();
      test.team = await test.createTeam();
    },
    aChannel: async (url: string) => {
      const channel = { type: "webhook", url };
      const { id } = (await test.call("POST", CHANNELS_PATH, { name: randomUUID(), channel })).body.channel;
      await test.call("PUT", `${CHANNELS_PATH}/${id}`, { incidentSubscribed: false });
      return id;
    },
    aWorker: (options: WorkerOptions = {}) => startWorker(test, options),
    report: (
      channelIds: ChannelId[],
      instanceId: AlertInstanceId = newId("alertInstance"),
      kind: AlertNotificationKind = "triggered",
    ) =>
      knex.transaction((trx) =>
        reportAlerts(trx, [{ teamId: test.team.teamId, channelIds, kind, instanceId, payload: aPayload() }]),
      ),
    pending: async () => Number((await knex("notifications").where({ status: "pending" }).count())[0]?.count),
    deliveriesOf: async (channelId: string) =>
      (await test.call("GET", `${CHANNELS_PATH}/${channelId}/deliveries`)).body.deliveries,
    hurry: async () =>
      knex("notifications")
        .where({ status: "pending", leasedBy: null })
        .update({ dueAt: new Date(0) }),
  });
}

/** Waits until the condition holds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

function startWorker({ services }: TestApp, options: WorkerOptions): { close(): Promise<void> } {
  const { leaseMs, pollIntervalMs, ...rest } = options;
  const worker = new NotificationWorker({
    tools: createDeliveryTools(services, { owner: randomUUID(), ...rest }),
    log: services.log,
    ...(leaseMs === undefined ? {} : { leaseMs }),
    ...(pollIntervalMs === undefined ? {} : { pollIntervalMs }),
  });
  worker.start();
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= worker.close();
    return closing;
  };
  onTestFinished(close);
  return { close };
}
