/** Registers the routes of team secrets. */
import { secretRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { createSecret } from "./create-secret.ts";
import { deleteSecret } from "./delete-secret.ts";
import { listSecrets } from "./list-secrets.ts";
import { updateSecret } from "./update-secret.ts";

/** Registers listing, creating, changing and deleting secrets. */
export function registerSecretRoutes(app: ApiApp, services: Services): void {
  serve(app, secretRoutes.list, async (request) => ({
    secrets: await listSecrets(contextOf(services, request)),
  }));

  serve(app, secretRoutes.create, async (request) => ({
    secret: await createSecret(contextOf(services, request), request.body),
  }));

  serve(app, secretRoutes.update, async (request) => {
    const { params, body } = request;
    return { secret: await updateSecret(contextOf(services, request), { id: params.id, value: body.value }) };
  });

  serve(app, secretRoutes.delete, async (request) => {
    await deleteSecret(contextOf(services, request), request.params);
    return { success: true as const };
  });
}
