/** Routes of alert instances. */
import {
  alertInstanceEventSchema,
  alertInstanceSchema,
  alertInstanceSummarySchema,
  alertInstancesQuerySchema,
  muteInstanceSchema,
  successSchema,
} from "@svc/contract";
import * as z from "zod";
import type { ApiApp } from "../../platform/http/api.ts";
import type { Caller } from "../../platform/http/caller.ts";
import type { Services } from "../../platform/services.ts";
import { acknowledgeInstance } from "./acknowledge-instance.ts";
import { getInstance, listInstances } from "./get-instance.ts";
import { muteInstance, unmuteInstance } from "./mute-instance.ts";
import { resolveInstance } from "./resolve-instance.ts";

const tags = ["Alerts"];
const params = z.object({ id: z.string() });

/** Who did it: the user, or the API key that acted. */
function actorOf(caller: Caller): string {
  return caller.kind === "session" ? caller.userId : caller.apiKeyId;
}

export function registerInstanceRoutes(app: ApiApp, services: Services): void {
  app.get(
    "/api/alerts/instances",
    {
      schema: {
        tags,
        summary: "List alert instances, newest first",
        querystring: alertInstancesQuerySchema,
        response: {
          200: z.object({
            instances: z.array(alertInstanceSummarySchema),
            limit: z.number(),
            offset: z.number(),
          }),
        },
      },
    },
    async ({ caller, query }) => ({
      instances: await listInstances(services, caller.teamId, query),
      limit: query.limit,
      offset: query.offset,
    }),
  );

  app.get(
    "/api/alerts/instances/:id",
    {
      schema: {
        tags,
        summary: "Get an alert instance with its history",
        params,
        response: {
          200: z.object({ instance: alertInstanceSchema, events: z.array(alertInstanceEventSchema) }),
        },
      },
    },
    ({ caller, params }) => getInstance(services, caller.teamId, params.id),
  );

  app.post(
    "/api/alerts/instances/:id/acknowledge",
    {
      schema: {
        tags,
        summary: "Acknowledge an active instance; 409 when it is not active",
        params,
        response: { 200: successSchema.extend({ state: z.literal("acknowledged") }) },
      },
    },
    async ({ caller, params }) => {
      await acknowledgeInstance(services, caller.teamId, params.id, actorOf(caller));
      return { success: true as const, state: "acknowledged" as const };
    },
  );

  app.post(
    "/api/alerts/instances/:id/resolve",
    {
      schema: {
        tags,
        summary: "Resolve an instance; 409 when it is over already",
        params,
        response: {
          200: successSchema.extend({ state: z.literal("resolved"), durationMs: z.number() }),
        },
      },
    },
    async ({ caller, params }) => {
      const durationMs = await resolveInstance(services, caller.teamId, params.id, actorOf(caller));
      return { success: true as const, state: "resolved" as const, durationMs };
    },
  );

  app.post(
    "/api/alerts/instances/:id/mute",
    {
      schema: {
        tags,
        summary: "Mute an instance, until an instant or until it is unmuted; 409 when it is over",
        params,
        body: muteInstanceSchema.optional(),
        response: { 200: successSchema },
      },
    },
    async ({ caller, params, body }) => {
      await muteInstance(services, caller.teamId, params.id, actorOf(caller), body ?? {});
      return { success: true as const };
    },
  );

  app.post(
    "/api/alerts/instances/:id/unmute",
    {
      schema: {
        tags,
        summary: "Let an instance notify again; 409 when it is over",
        params,
        response: { 200: successSchema },
      },
    },
    async ({ caller, params }) => {
      await unmuteInstance(services, caller.teamId, params.id, actorOf(caller));
      return { success: true as const };
    },
  );
}
