/** /api/api-keys: for signed-in people only, but for a key's own revocation. */
import {
  apiKeySchema,
  createApiKeySchema,
  createdApiKeySchema,
  DomainError,
  errorSchema,
  notFound,
  successSchema,
} from "@svc/contract";
import * as z from "zod";
import type { ApiApp } from "../../platform/http/api.ts";
import { authorOf } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { createApiKey } from "./create-api-key.ts";
import { deleteApiKey } from "./delete-api-key.ts";
import { selectApiKeys } from "./store.ts";

const PATH = "/api/api-keys";
const config = { access: "session" } as const;

export function registerKeyRoutes(app: ApiApp, { knex, clock }: Services): void {
  app.post(
    PATH,
    {
      config,
      schema: {
        summary: "Make a key; the answer is the only one that shows its secret",
        body: createApiKeySchema.prefault({}),
        response: { 200: z.object({ key: createdApiKeySchema }) },
      },
    },
    async (request) => {
      const { caller, body } = request;
      return {
        key: await createApiKey(knex, clock, caller.teamId, body, undefined, authorOf(request)),
      };
    },
  );

  app.get(
    PATH,
    {
      config,
      schema: {
        summary: "List the team's keys",
        response: { 200: z.object({ keys: z.array(apiKeySchema) }) },
      },
    },
    async ({ caller }) => ({ keys: await selectApiKeys(knex, caller.teamId) }),
  );

  app.delete(
    `${PATH}/:id`,
    {
      config,
      schema: {
        summary: "Revoke a key of the team",
        params: z.object({ id: z.string() }),
        response: { 200: successSchema },
      },
    },
    async (request) => {
      const { caller, params } = request;
      if (!(await deleteApiKey(knex, clock, caller.teamId, params.id, authorOf(request))))
        throw notFound("API key");
      return { success: true as const };
    },
  );

  app.delete(
    `${PATH}/self`,
    {
      schema: {
        summary: "Revoke the key that makes this request",
        response: {
          200: z.object({ revoked: z.literal(true), alreadyRevoked: z.literal(true).optional() }),
          400: errorSchema,
        },
      },
    },
    async (request) => {
      const { caller } = request;
      if (caller.kind !== "api_key")
        throw new DomainError("invalid", "This revokes the key that makes the request; a session is none");
      const wasThere = await deleteApiKey(knex, clock, caller.teamId, caller.apiKeyId, authorOf(request));
      return wasThere
        ? { revoked: true as const }
        : { revoked: true as const, alreadyRevoked: true as const };
    },
  );
}
