/** Registers the routes of notifications: who was notified of a record, the log of a channel, and attempts by hand. */
import { channelRoutes, type Delivery, notificationRoutes, testChannelSchema } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { answerPage } from "../../platform/http/record-list.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import type { DeliveryTools } from "./delivery-tools.ts";
import { listDeliveries } from "./list-deliveries.ts";
import { listNotifications } from "./list-notifications.ts";
import { listStandings } from "./list-standings.ts";
import { previewIncidentBody } from "./preview-incident-body.ts";
import { redeliver } from "./redeliver.ts";
import { sendTest } from "./send-test.ts";

/** Registers the lists of notifications and deliveries, previews, test notifications and repeated deliveries. */
export function registerNotificationRoutes(app: ApiApp, services: Services, tools: DeliveryTools): void {
  serve(app, channelRoutes.listDeliveries, async (request, reply) => {
    const context = contextOf(services, request);
    const { teamId } = context;
    return answerPage(reply, { teamId, query: request.query }, await listDeliveries(context, request.params));
  });

  serve(app, channelRoutes.listStandings, async (request, reply) => {
    const context = contextOf(services, request);
    const { teamId } = context;
    return answerPage(reply, { teamId, query: request.query }, listStandings(context));
  });

  serve(app, notificationRoutes.list, async (request, reply) => {
    const context = contextOf(services, request);
    const { teamId } = context;
    return answerPage(reply, { teamId, query: request.query }, listNotifications(context, request.query));
  });

  serve(app, channelRoutes.preview, (request) =>
    previewIncidentBody(contextOf(services, request), request.body),
  );

  serve(app, channelRoutes.test, {
    waitsElsewhere: true,
    handler: async (request) => {
      const { eventType } = request.body ?? testChannelSchema.parse({});
      const input = { id: request.params.id, eventType, tools };
      return attemptAnswer(await sendTest(contextOf(services, request), input));
    },
  });

  serve(app, channelRoutes.redeliver, {
    waitsElsewhere: true,
    handler: async (request) =>
      attemptAnswer(await redeliver(contextOf(services, request), { ...request.params, tools })),
  });
}

function attemptAnswer(delivery: Delivery) {
  return { success: delivery.status === "delivered", delivery };
}
