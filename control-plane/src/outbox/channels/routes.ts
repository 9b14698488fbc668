/** Registers the routes of notification channels. Those of deliveries are registered by response/notifications. */
import { channelRoutes } from "@svc/contract";
import { createRevealRecorder } from "../../accounts/audit/record-reveal.ts";
import type { ApiApp } from "../../platform/http/api.ts";
import { answerWhole } from "../../platform/http/record-list.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { createChannel } from "./create-channel.ts";
import { deleteChannel } from "./delete-channel.ts";
import { getChannel } from "./get-channel.ts";
import { listChannels } from "./list-channels.ts";
import { updateChannel } from "./update-channel.ts";

/** Registers listing, creating, reading, changing and deleting channels. */
export function registerChannelRoutes(app: ApiApp, services: Services): void {
  const recordReveal = createRevealRecorder(services, "channels");

  serve(app, channelRoutes.list, async (request, reply) => {
    const { secrets, ...query } = request.query;
    const context = contextOf(services, request);
    const isMasked = secrets === "masked";
    if (!isMasked) await recordReveal(context);
    return answerWhole(reply, { teamId: context.teamId, query }, listChannels(context, { isMasked }));
  });

  serve(app, channelRoutes.create, async (request) => ({
    channel: await createChannel(contextOf(services, request), request.body),
  }));

  serve(app, channelRoutes.get, async (request) => {
    const context = contextOf(services, request);
    const isMasked = request.query.secrets === "masked";
    const channel = await getChannel(context, { ...request.params, isMasked });
    if (!isMasked) await recordReveal(context);
    return { channel };
  });

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
