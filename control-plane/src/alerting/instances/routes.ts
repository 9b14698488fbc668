/** Registers the routes of alert instances. */
import { alertInstanceRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { answerPage } from "../../platform/http/record-list.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { acknowledgeInstance } from "./acknowledge-instance.ts";
import { getInstance } from "./get-instance.ts";
import { listInstances } from "./list-instances.ts";
import { muteInstance } from "./mute-instance.ts";
import { resolveInstance } from "./resolve-instance.ts";
import { unmuteInstance } from "./unmute-instance.ts";

/** Registers reading instances, acknowledging, resolving and muting them. */
export function registerInstanceRoutes(app: ApiApp, services: Services): void {
  serve(app, alertInstanceRoutes.list, async (request, reply) => {
    const context = contextOf(services, request);
    const { teamId } = context;
    return answerPage(reply, { teamId, query: request.query }, listInstances(context, request.query));
  });

  serve(app, alertInstanceRoutes.get, (request) => getInstance(contextOf(services, request), request.params));

  serve(app, alertInstanceRoutes.acknowledge, async (request) => {
    await acknowledgeInstance(contextOf(services, request), request.params);
    return { success: true as const, state: "acknowledged" as const };
  });

  serve(app, alertInstanceRoutes.resolve, async (request) => {
    const durationMs = await resolveInstance(contextOf(services, request), request.params);
    return { success: true as const, state: "resolved" as const, durationMs };
  });

  serve(app, alertInstanceRoutes.mute, async (request) => {
    await muteInstance(contextOf(services, request), { ...request.params, ...request.body });
    return { success: true as const };
  });

  serve(app, alertInstanceRoutes.unmute, async (request) => {
    await unmuteInstance(contextOf(services, request), request.params);
    return { success: true as const };
  });
}
