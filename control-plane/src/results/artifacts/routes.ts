/** The route that artifacts' links lead to. The link itself says who may fetch, so that pages can show a picture by it. */
import { DomainError, notFound } from "@svc/contract";
import * as z from "zod";
import type { ApiApp } from "../../platform/http/api.ts";
import type { Services } from "../../platform/services.ts";
import { blobStoreOf } from "./choose-blob-store.ts";
import { EXTENSIONS } from "./content-type.ts";
import { judgeLink } from "./links.ts";
import { parseRange } from "./range.ts";
import { findArtifact } from "./store.ts";

export function registerArtifactRoutes(app: ApiApp, services: Services): void {
  const { knex, secrets, clock } = services;
  const blobs = blobStoreOf(services);
  app.get(
    "/api/artifacts/:id",
    {
      config: { access: "public" },
      schema: {
        tags: ["Results"],
        summary: "Fetch a picture or video by a link from a result",
        description:
          "The links in screenshotsJson and videoJson lead here. They need no credential and expire after about an hour.",
        params: z.object({ id: z.string().describe("art_...") }),
        querystring: z.object({
          expires: z.coerce.number().int().min(0).describe("Unix ms"),
          signature: z.string().max(100),
        }),
      },
    },
    async ({ params, query, headers }, reply) => {
      const nowMs = clock.nowMs();
      const verdict = judgeLink(secrets, { id: params.id, ...query }, nowMs);
      if (verdict === "forged") throw notFound("Artifact");
      if (verdict === "expired")
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
          // A file, not a page: whatever it holds does nothing.
          "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
          "cache-control": `private, max-age=${Math.floor((query.expires - nowMs) / 1000)}, immutable`,
        })
        .send(content);
    },
  );
}
