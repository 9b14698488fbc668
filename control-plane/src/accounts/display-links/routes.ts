/** Routes of display links, and of the display sessions of screens. */
import { displayLinkRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { DISPLAY_COOKIE } from "../identity/display-cookie.ts";
import { createDisplayLink } from "./create-display-link.ts";
import { deleteDisplayLink } from "./delete-display-link.ts";
import { listDisplayLinks } from "./list-display-links.ts";
import { openDisplay } from "./open-display.ts";

/** Registers the routes. */
export function registerDisplayLinkRoutes(app: ApiApp, services: Services): void {
  serve(app, displayLinkRoutes.create, async (request) => ({
    displayLink: await createDisplayLink(contextOf(services, request), request.body),
  }));

  serve(app, displayLinkRoutes.list, async (request) => ({
    displayLinks: await listDisplayLinks(contextOf(services, request)),
  }));

  serve(app, displayLinkRoutes.delete, async (request) => {
    await deleteDisplayLink(contextOf(services, request), request.params.id);
    return { success: true as const };
  });

  serve(app, displayLinkRoutes.open, async ({ body }, reply) => ({
    display: await openDisplay(services, reply, body.secret),
  }));

  serve(app, displayLinkRoutes.get, async ({ cookies }, reply) => ({
    display: await openDisplay(services, reply, cookies[DISPLAY_COOKIE] ?? ""),
  }));
}
