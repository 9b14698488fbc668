/** Registers the routes of notification channels. Those of deliveries are registered by response/notifications. */
import { channelRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { answerList, PAGE_BYTES_MAX, parseCursor } from "../../platform/http/list-answer.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { createChannel } from "./create-channel.ts";
import { deleteChannel } from "./delete-channel.ts";
import { getChannel } from "./get-channel.ts";
import { CHANNEL_CURSOR, listChannels } from "./list-channels.ts";
import { updateChannel } from "./update-channel.ts";

export function registerChannelRoutes(app: ApiApp, services: Services): void {
  serve(app, channelRoutes.list, async (request, reply) => {
    const { limit, cursor } = request.query;
    return answerList(reply, {
      teamId: request.caller.teamId,
      name: "channels",
      source: listChannels(contextOf(services, request)),
      page: { limit, after: parseCursor(cursor, CHANNEL_CURSOR) },
      // The whole list is what callers have always been given; the cap on its bytes bounds it.
      bytesMax: limit === undefined && cursor === undefined ? Number.POSITIVE_INFINITY : PAGE_BYTES_MAX,
    });
  });

  serve(app, channelRoutes.create, async (request) => ({
    channel: await createChannel(contextOf(services, request), request.body),
  }));

  serve(app, channelRoutes.get, async (request) => ({
    channel: await getChannel(contextOf(services, request), request.params),
  }));

  serve(app, channelRoutes.update, async (request) => {
    const { params, body: update } = request;
    await updateChannel(contextOf(services, request), { id: params.id, update });
    return { success: true as const };
  });

  serve(app, channelRoutes.delete, async (request) => {
    await deleteChannel(contextOf(services, request), request.params);
    return { success: true as const };
  });
}
