/** Serves the agent's npm package, which the commands of "Add a runner" install. It is public, as it holds no secret. */
import { readFile } from "node:fs/promises";
import { HOUR_MS, SECOND_MS } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import type { Services } from "../../platform/services.ts";

/**
 * Registers the download, where there is a package. The file is read once, on the first request; all downloads share its bytes, so
 * that one that is not read holds no more than its connection.
 */
export function registerAgentPackageRoute(app: ApiApp, { agentPackage }: Services): void {
  if (!agentPackage) return;
  const { file, path } = agentPackage;
  let bytes: Promise<Buffer> | undefined;
  app.get(path, { config: { access: "public" }, schema: { hide: true } }, async (_request, reply) => {
    bytes ??= readFile(file).catch((error) => {
      bytes = undefined;
      throw error;
    });
    return reply
      .type("application/octet-stream")
      .header("cache-control", `public, max-age=${HOUR_MS / SECOND_MS}`)
      .send(await bytes);
  });
}
