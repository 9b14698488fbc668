/** Routes of notification channels. */
import {
  channelSchema,
  createChannelSchema,
  createdChannelSchema,
  errorSchema,
  successSchema,
  updateChannelSchema,
} from "@svc/contract";
import * as z from "zod";
import type { ApiApp } from "../../platform/http/api.ts";
import { authorOf } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { createChannel } from "./create-channel.ts";
import { deleteChannel } from "./delete-channel.ts";
import { getChannelRow, listChannels } from "./get-channel.ts";
import { channelFromRow } from "./row.ts";
import { updateChannel } from "./update-channel.ts";

const tags = ["Notification channels"];
const idParams = z.object({ id: z.string() });

export function registerChannelRoutes(app: ApiApp, services: Services): void {
  app.get(
    "/api/notification-channels",
    {
      schema: {
        tags,
        summary: "List the team's channels, newest first",
        response: { 200: z.object({ channels: z.array(channelSchema) }) },
      },
    },
    async ({ caller }) => ({ channels: await listChannels(services, caller.teamId) }),
  );

  app.post(
    "/api/notification-channels",
    {
      schema: {
        tags,
        summary: "Create a channel",
        body: createChannelSchema,
        response: { 201: z.object({ channel: createdChannelSchema }), 409: errorSchema },
      },
    },
    async (request, reply) => {
      const { caller, body } = request;
      const channel = await createChannel(services, caller.teamId, body, authorOf(request));
      return reply.code(201).send({ channel });
    },
  );

  app.get(
    "/api/notification-channels/:id",
    {
      schema: {
        tags,
        summary: "Get a channel",
        params: idParams,
        response: { 200: z.object({ channel: channelSchema }) },
      },
    },
    async ({ caller, params }) => ({
      channel: channelFromRow(services.secrets, await getChannelRow(services.knex, caller.teamId, params.id)),
    }),
  );

  app.put(
    "/api/notification-channels/:id",
    {
      schema: {
        tags,
        summary: "Change a channel; its type stays",
        params: idParams,
        body: updateChannelSchema,
        response: { 200: successSchema, 409: errorSchema },
      },
    },
    async (request) => {
      const { caller, params, body } = request;
      await updateChannel(services, caller.teamId, params.id, body, authorOf(request));
      return { success: true as const };
    },
  );

  app.delete(
    "/api/notification-channels/:id",
    {
      schema: {
        tags,
        summary: "Delete a channel that nothing refers to",
        params: idParams,
        response: { 200: successSchema, 409: errorSchema },
      },
    },
    async (request) => {
      const { caller, params } = request;
      await deleteChannel(services, caller.teamId, params.id, authorOf(request));
      return { success: true as const };
    },
  );
}
