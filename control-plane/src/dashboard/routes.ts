/** Serves the dashboard: one document for every page, and the files that it loads. All data comes from the REST API. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fastifyStatic from "@fastify/static";
import { DomainError, pages } from "@svc/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ApiApp } from "../platform/http/api.ts";
import { dashboardHeaders } from "./headers.ts";

/** Folder of the built dashboard: beside the bundle, also for the service that runs from its sources. */
const BUILT_FOLDER = fileURLToPath(
  import.meta.url.endsWith(".ts")
    ? new URL("../../dist/dashboard/", import.meta.url)
    : new URL("./dashboard/", import.meta.url),
);
const DOCUMENT = "index.html";
/** Files under this path have a hash of their content in their names: a browser may keep them for good. */
const ASSETS_PATH = "/assets/";

const route = { config: { access: "public", isUncounted: true }, schema: { hide: true } } as const;

/** Registers the pages and their files. Both are public: they hold no data, and a page leads to the sign-in by itself. */
export async function registerDashboard(
  app: ApiApp,
  { publicUrl, folder = BUILT_FOLDER }: { publicUrl: () => string; folder?: string },
): Promise<void> {
  if (!existsSync(join(folder, DOCUMENT))) return registerMissing(app);
  await app.register(fastifyStatic, { root: folder, serve: false, preCompressed: true });
  app.decorate("sendPage", (reply: FastifyReply) =>
    reply
      .headers(dashboardHeaders(publicUrl()))
      .header("cache-control", "no-store")
      .sendFile(DOCUMENT, { cacheControl: false, etag: false, lastModified: false }),
  );
  for (const { path } of Object.values(pages))
    app.get(path, route, (_request, reply) => app.sendPage?.(reply) ?? reply);
  app.get<{ Params: { "*": string } }>(`${ASSETS_PATH}*`, route, (request, reply) =>
    reply
      .headers(dashboardHeaders(publicUrl()))
      .sendFile(ASSETS_PATH.slice(1) + request.params["*"], { maxAge: "1y", immutable: true }),
  );
}

/**
 * Answers a browser that asks for a page that does not exist by the dashboard, which says so.
 * @returns undefined for every other request, such as one to the API, whose error is JSON
 */
export function answerUnknownPage(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
  const { method, url, headers, server } = request;
  const isNavigation =
    (method === "GET" || method === "HEAD") && (headers.accept ?? "").includes("text/html");
  const isData = url.startsWith("/api/") || url.startsWith(ASSETS_PATH);
  return isNavigation && !isData ? server.sendPage?.(reply) : undefined;
}

/** Registers the pages of a service whose dashboard was never built. */
function registerMissing(app: ApiApp): void {
  for (const { path } of Object.values(pages))
    app.get(path, route, () => {
      throw new DomainError("unavailable", "The dashboard is not built; run `npm run build` and start again");
    });
}

declare module "fastify" {
  interface FastifyInstance {
    /** Answers by the dashboard's document; absent while the dashboard is not built. */
    sendPage?: (reply: FastifyReply) => FastifyReply;
  }
}
