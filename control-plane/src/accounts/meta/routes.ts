/** The route of the service's own facts. */
import { metaRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { getMeta } from "./get-meta.ts";

/** Registers the route. */
export function registerMetaRoutes(app: ApiApp, services: Services): void {
  serve(app, metaRoutes.get, async (request) => getMeta(contextOf(services, request)));
}
