/** Serves the agent's npm package, which the commands of "Add a runner" install. It is public, as it holds no secret. */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { DomainError, HOUR_MS, SECOND_MS } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import type { Services } from "../../platform/services.ts";

/** Downloads at a time; each holds a connection and a file of some megabytes. */
const DOWNLOADS_MAX = 20;

/**
 * Registers the download, where there is a package.
 * @throws DomainError `unavailable` while too many are under way; npm tries again
 */
export function registerAgentPackageRoute(app: ApiApp, { agentPackage }: Services): void {
  if (!agentPackage) return;
  const { file, path } = agentPackage;
  let downloads = 0;
  app.get(path, { config: { access: "public" }, schema: { hide: true } }, async (_request, reply) => {
    if (downloads >= DOWNLOADS_MAX)
      throw new DomainError(
        "unavailable",
        `${DOWNLOADS_MAX} downloads are under way; try again in a few seconds`,
      );
    downloads += 1;
    reply.raw.once("close", () => {
      downloads -= 1;
    });
    const { size } = await stat(file);
    return reply
      .type("application/octet-stream")
      .header("content-length", size)
      .header("cache-control", `public, max-age=${HOUR_MS / SECOND_MS}`)
      .send(createReadStream(file));
  });
}
