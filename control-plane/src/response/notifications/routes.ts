/** Routes of deliveries: what was handed over to a channel, and trying it by hand. */
import { deliveriesQuerySchema, deliverySchema, errorSchema, testChannelSchema } from "@svc/contract";
import * as z from "zod";
import { getChannelRow } from "../../outbox/channels/get-channel.ts";
import type { ApiApp } from "../../platform/http/api.ts";
import type { Services } from "../../platform/services.ts";
import type { DeliveryTools } from "./deliver.ts";
import { redeliver } from "./redeliver.ts";
import { listDeliveries } from "./store.ts";
import { sendTest } from "./test-notification.ts";

const tags = ["Notification channels"];
const idParams = z.object({ id: z.string() });
const outcome = z.object({
  success: z.boolean().describe("Whether it was delivered."),
  delivery: deliverySchema,
});

export function registerNotificationRoutes(app: ApiApp, services: Services, tools: DeliveryTools): void {
  app.get(
    "/api/notification-channels/:id/deliveries",
    {
      schema: {
        tags,
        summary: "List the attempts to deliver to a channel, newest first",
        params: idParams,
        querystring: deliveriesQuerySchema,
        response: {
          200: z.object({ deliveries: z.array(deliverySchema), limit: z.number(), offset: z.number() }),
        },
      },
    },
    async ({ caller, params, query: { limit, offset } }) => {
      const channel = await getChannelRow(services.knex, caller.teamId, params.id);
      return { deliveries: await listDeliveries(services.knex, channel.key, limit, offset), limit, offset };
    },
  );

  app.post(
    "/api/notification-channels/:id/test",
    {
      schema: {
        tags,
        summary: "Send a test notification, at most once in 60 seconds, and wait for its outcome",
        params: idParams,
        // Its field has a default, so there need be no body.
        body: testChannelSchema.nullish(),
        response: { 200: outcome },
      },
    },
    async ({ caller, params, body }) =>
      outcomeOf(
        await sendTest(services, tools, caller.teamId, params.id, body ?? testChannelSchema.parse({})),
      ),
  );

  app.post(
    "/api/notification-channels/:id/deliveries/:deliveryId/redeliver",
    {
      schema: {
        tags,
        summary: "Make one more attempt at a delivery's notification, and wait for its outcome",
        params: idParams.extend({ deliveryId: z.string() }),
        response: { 200: outcome, 409: errorSchema },
      },
    },
    async ({ caller, params }) =>
      outcomeOf(await redeliver(services, tools, caller.teamId, params.id, params.deliveryId)),
  );
}

function outcomeOf(delivery: z.infer<typeof deliverySchema>) {
  return { success: delivery.status === "delivered", delivery };
}
