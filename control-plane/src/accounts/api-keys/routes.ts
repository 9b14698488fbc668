import { apiKeyRoutes, DomainError, notFound } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { answerWhole } from "../../platform/http/record-list.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { createApiKey } from "./create-api-key.ts";
import { deleteApiKey } from "./delete-api-key.ts";
import { listApiKeys } from "./list-api-keys.ts";

/** Registers the routes of API keys. */
export function registerApiKeyRoutes(app: ApiApp, services: Services): void {
  serve(app, apiKeyRoutes.create, async (request) => ({
    key: await createApiKey(contextOf(services, request), request.body),
  }));

  serve(app, apiKeyRoutes.list, async (request, reply) => {
    const context = contextOf(services, request);
    return answerWhole(reply, { teamId: context.teamId, query: request.query }, listApiKeys(context));
  });

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
