import { apiKeyRoutes, DomainError, notFound } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { createApiKey } from "./create-api-key.ts";
import { deleteApiKey } from "./delete-api-key.ts";
import { listApiKeyRows } from "./store.ts";

/** Registers the routes of API keys. */
export function registerApiKeyRoutes(app: ApiApp, services: Services): void {
  serve(app, apiKeyRoutes.create, async (request) => ({
    key: await createApiKey(contextOf(services, request), request.body),
  }));

  serve(app, apiKeyRoutes.list, async ({ caller }) => ({
    keys: await listApiKeyRows(services.knex, caller.teamId),
  }));

  serve(app, apiKeyRoutes.delete, async (request) => {
    if (!(await deleteApiKey(contextOf(services, request), request.params.id))) throw notFound("API key");
    return { success: true as const };
  });

  serve(app, apiKeyRoutes.deleteSelf, async (request) => {
    const { caller } = request;
    if (caller.kind !== "api_key")
      throw new DomainError("invalid", "This revokes the key that makes the request; a session is none");
    const wasThere = await deleteApiKey(contextOf(services, request), caller.apiKeyId);
    return wasThere ? { revoked: true as const } : { revoked: true as const, alreadyRevoked: true as const };
  });
}
