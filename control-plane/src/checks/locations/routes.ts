/** Routes of locations, their runner keys and runners. */
import {
  createLocationSchema,
  createRunnerKeySchema,
  errorSchema,
  literalTrueQuery,
  locationSchema,
  runnerKeySchema,
  runnerSchema,
  successSchema,
  updateLocationSchema,
} from "@svc/contract";
import * as z from "zod";
import type { ApiApp } from "../../platform/http/api.ts";
import { authorOf } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { createLocation } from "./create-location.ts";
import { deleteLocation } from "./delete-location.ts";
import { listLocations } from "./get-location.ts";
import { listRunners } from "./list-runners.ts";
import { createRunnerKey, deleteRunnerKey, listRunnerKeys } from "./runner-keys.ts";
import { updateLocation } from "./update-location.ts";

const tags = ["Locations"];
const idParams = z.object({ id: z.string() });
const keyParams = z.object({ id: z.string(), keyId: z.string() });
const oneLocation = z.object({ location: locationSchema });

export function registerLocationRoutes(app: ApiApp, services: Services): void {
  app.get(
    "/api/locations",
    {
      schema: {
        tags,
        summary: "List the hosted locations and the team's private ones",
        querystring: z.object({ include_deprecated: literalTrueQuery }),
        response: { 200: z.object({ locations: z.array(locationSchema) }) },
      },
    },
    async ({ caller, query }) => ({
      locations: await listLocations(services, caller.teamId, {
        includeDeprecated: query.include_deprecated,
      }),
    }),
  );

  app.post(
    "/api/locations",
    {
      schema: {
        tags,
        summary: "Create a private location",
        body: createLocationSchema,
        response: { 201: oneLocation, 409: errorSchema },
      },
    },
    async (request, reply) => {
      const { caller, body } = request;
      const location = await createLocation(services, caller.teamId, body, authorOf(request));
      return reply.code(201).send({ location });
    },
  );

  app.put(
    "/api/locations/:id",
    {
      schema: {
        tags,
        summary: "Change a private location",
        params: idParams,
        body: updateLocationSchema,
        response: { 200: oneLocation, 409: errorSchema },
      },
    },
    async (request) => {
      const { caller, params, body } = request;
      return { location: await updateLocation(services, caller.teamId, params.id, body, authorOf(request)) };
    },
  );

  app.delete(
    "/api/locations/:id",
    {
      schema: {
        tags,
        summary: "Delete a private location and its runner keys",
        params: idParams,
        response: { 200: successSchema, 409: errorSchema },
      },
    },
    async (request) => {
      const { caller, params } = request;
      await deleteLocation(services, caller.teamId, params.id, authorOf(request));
      return { success: true as const };
    },
  );

  app.post(
    "/api/locations/:id/keys",
    {
      schema: {
        tags,
        summary: "Create a runner key of a private location; its secret is shown once",
        params: idParams,
        // The name has a default, so there need be no body.
        body: createRunnerKeySchema.nullish(),
        response: { 201: z.object({ key: runnerKeySchema }), 409: errorSchema },
      },
    },
    async (request, reply) => {
      const { caller, params, body } = request;
      const { name } = body ?? createRunnerKeySchema.parse({});
      const key = await createRunnerKey(services, caller.teamId, params.id, name, authorOf(request));
      return reply.code(201).send({ key });
    },
  );

  app.get(
    "/api/locations/:id/keys",
    {
      schema: {
        tags,
        summary: "List the runner keys of a private location",
        params: idParams,
        response: { 200: z.object({ keys: z.array(runnerKeySchema) }) },
      },
    },
    async ({ caller, params }) => ({ keys: await listRunnerKeys(services, caller.teamId, params.id) }),
  );

  app.delete(
    "/api/locations/:id/keys/:keyId",
    {
      schema: {
        tags,
        summary: "Revoke a runner key",
        params: keyParams,
        response: { 200: successSchema },
      },
    },
    async (request) => {
      const { caller, params } = request;
      await deleteRunnerKey(services, caller.teamId, params.id, params.keyId, authorOf(request));
      return { success: true as const };
    },
  );

  app.get(
    "/api/locations/:id/runners",
    {
      schema: {
        tags,
        summary: "List the runners of a private location",
        params: idParams,
        response: { 200: z.object({ runners: z.array(runnerSchema) }) },
      },
    },
    async ({ caller, params }) => ({ runners: await listRunners(services, caller.teamId, params.id) }),
  );
}
