/** Client methods of notification channels and their deliveries. */
import type { Channel, CreateChannel, TestChannel, UpdateChannel } from "../../resources/channel.ts";
import type { channelRoutes } from "../channels.ts";
import { readAll } from "./read-all.ts";
import type { CallRoute, Page } from "./rest-connection.ts";

type Routes = typeof channelRoutes;

/** Returns the client methods of channels. */
export const channelMethods = (call: CallRoute) => ({
  listChannels: (): Promise<Channel[]> =>
    readAll(
      (page) => call<Routes["list"]>("GET", "/api/notification-channels", { query: page }),
      (answer) => answer.channels,
    ),
  async createChannel(channel: CreateChannel): Promise<{ id: string }> {
    return (await call<Routes["create"]>("POST", "/api/notification-channels", { body: channel })).channel;
  },
  updateChannel: (id: string, change: UpdateChannel) =>
    call<Routes["update"]>("PUT", "/api/notification-channels/:id", { params: { id }, body: change }),
  deleteChannel: (id: string) =>
    call<Routes["delete"]>("DELETE", "/api/notification-channels/:id", { params: { id } }),
  /** Lists newest first. */
  listDeliveries: (id: string, options: Page = {}) =>
    call<Routes["listDeliveries"]>("GET", "/api/notification-channels/:id/deliveries", {
      params: { id },
      query: { ...options },
    }),
  /** Sends a test notification and waits for its outcome; at most once in 60 seconds. */
  testChannel: (id: string, test: TestChannel = {}) =>
    call<Routes["test"]>("POST", "/api/notification-channels/:id/test", { params: { id }, body: test }),
  /** Makes one more attempt and waits for its outcome. */
  redeliver: (id: string, deliveryId: string) =>
    call<Routes["redeliver"]>("POST", "/api/notification-channels/:id/deliveries/:deliveryId/redeliver", {
      params: { id, deliveryId },
    }),
});
