/** Registers the route that links to artifacts lead to. The link itself is the permission, so that pages can embed it. */
import { DomainError, notFound, resultRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { blobStoreOf } from "./choose-blob-store.ts";
import { EXTENSIONS } from "./content-type.ts";
import { judgeLink } from "./links.ts";
import { parseRange } from "./range.ts";
import { findArtifact } from "./store.ts";

/** Registers fetching an artifact by its link. */
export function registerArtifactRoutes(app: ApiApp, services: Services): void {
  const { knex, secrets, clock } = services;
  const blobs = blobStoreOf(services);
  serve(app, resultRoutes.fetchArtifact, async ({ params, query, headers }, reply) => {
    const nowMs = clock.nowMs();
    const validity = judgeLink(secrets, { id: params.id, ...query }, nowMs);
    if (validity === "forged") throw notFound("Artifact");
    if (validity === "expired")
      throw new DomainError("gone", "The link has expired; read the result again for a new one");
    const artifact = await findArtifact(knex, params.id);
    if (!artifact) throw notFound("Artifact");
    const { bytes, contentType, blobKey } = artifact;
    const range = parseRange(headers.range, bytes);
    void reply.header("accept-ranges", "bytes");
    if (range === "unsatisfiable")
      return reply.code(416).header("content-range", `bytes */${bytes}`).send("");
    const part = range === "whole" ? { start: 0, end: bytes - 1 } : range;
    const content = await blobs.read(blobKey, part);
    if (!content) throw notFound("Artifact");
    if (range !== "whole")
      void reply.code(206).header("content-range", `bytes ${part.start}-${part.end}/${bytes}`);
    return reply
      .headers({
        "content-type": contentType,
        "content-length": part.end - part.start + 1,
        "content-disposition": `inline; filename="${params.id}.${EXTENSIONS[contentType]}"`,
        // Opened as a page, the file can do nothing, whatever it contains.
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
        "cache-control": `private, max-age=${Math.floor((query.expires - nowMs) / 1000)}, immutable`,
      })
      .send(content);
  });
}
