import { createRunnerKeySchema, locationRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { answerPage, answerWhole } from "../../platform/http/record-list.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import type { ChannelAssertion } from "./channel-assertion.ts";
import { createLocation } from "./create-location.ts";
import { createRunnerKey } from "./create-runner-key.ts";
import { deleteLocation } from "./delete-location.ts";
import { deleteRunnerKey } from "./delete-runner-key.ts";
import { getPresence } from "./get-presence.ts";
import { listLocations } from "./list-locations.ts";
import { listRunnerKeys } from "./list-runner-keys.ts";
import { listRunners } from "./list-runners.ts";
import { listTeamRunners } from "./list-team-runners.ts";
import { updateLocation } from "./update-location.ts";

/** Registers the routes of locations, their runner keys and runners. */
export function registerLocationRoutes(
  app: ApiApp,
  services: Services,
  assertChannelsExist: ChannelAssertion,
): void {
  serve(app, locationRoutes.list, async (request, reply) => {
    const { include_deprecated: includeDeprecated, ...query } = request.query;
    const context = contextOf(services, request);
    return answerWhole(
      reply,
      { teamId: context.teamId, query },
      listLocations(context, { includeDeprecated }),
    );
  });

  serve(app, locationRoutes.create, async (request) => ({
    location: await createLocation(contextOf(services, request), {
      location: request.body,
      assertChannelsExist,
    }),
  }));

  serve(app, locationRoutes.update, async (request) => {
    const { params, body: update } = request;
    const input = { id: params.id, update, assertChannelsExist };
    return { location: await updateLocation(contextOf(services, request), input) };
  });

  serve(app, locationRoutes.delete, async (request) => {
    await deleteLocation(contextOf(services, request), request.params);
    return { success: true as const };
  });

  serve(app, locationRoutes.createKey, async (request) => {
    const { name } = request.body ?? createRunnerKeySchema.parse({});
    const locationId = request.params.id;
    return { key: await createRunnerKey(contextOf(services, request), { locationId, name }) };
  });

  serve(app, locationRoutes.listKeys, async (request) => ({
    keys: await listRunnerKeys(contextOf(services, request), request.params),
  }));

  serve(app, locationRoutes.deleteKey, async (request) => {
    const { id: locationId, keyId } = request.params;
    await deleteRunnerKey(contextOf(services, request), { locationId, keyId });
    return { success: true as const };
  });

  serve(app, locationRoutes.listRunners, async (request) => ({
    runners: await listRunners(contextOf(services, request), request.params),
  }));

  serve(app, locationRoutes.listTeamRunners, async (request, reply) => {
    const context = contextOf(services, request);
    const { teamId } = context;
    return answerPage(reply, { teamId, query: request.query }, listTeamRunners(context));
  });

  serve(app, locationRoutes.getPresence, async (request) =>
    getPresence(contextOf(services, request), { id: request.params.id, range: request.query.range }),
  );
}
