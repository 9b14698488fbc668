/** Serves the documentation as text. It is public and the same for everybody, as it holds nothing of a team. */
import { createHash } from "node:crypto";
import { DomainError, HOUR_MS, SECOND_MS } from "@svc/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ApiApp } from "../platform/http/api.ts";
import { type DocumentationText, documentationTexts } from "./documentation.ts";

const route = { config: { access: "public" }, schema: { hide: true } } as const;

/**
 * Registers the texts. Each is read once, on the first request for it.
 * @param parts.folder that of the pages; undefined where they are not installed
 */
export function registerDocumentation(
  app: ApiApp,
  { publicUrl, folder }: { publicUrl: () => string; folder: string | undefined },
): void {
  if (folder === undefined) {
    registerMissing(app);
    return;
  }
  for (const text of documentationTexts(folder)) {
    let made: Promise<MadeText> | undefined;
    app.get(text.path, route, async (request, reply) => {
      made ??= make(text, publicUrl()).catch((error) => {
        made = undefined;
        throw error;
      });
      return send(request, reply, await made);
    });
  }
}

interface MadeText {
  body: string;
  contentType: string;
  /** Changes with the body. */
  etag: string;
}

async function make({ contentType, read }: DocumentationText, publicUrl: string): Promise<MadeText> {
  const body = await read(publicUrl);
  return { body, contentType, etag: `"${createHash("sha256").update(body).digest("base64url")}"` };
}

function send({ headers }: FastifyRequest, reply: FastifyReply, { body, contentType, etag }: MadeText) {
  void reply.headers({ etag, "cache-control": `public, max-age=${HOUR_MS / SECOND_MS}` });
  if (headers["if-none-match"]?.includes(etag)) return reply.code(304).send();
  return reply.type(contentType).send(body);
}

/** Registers the index of an installation without the pages. */
function registerMissing(app: ApiApp): void {
  app.get("/llms.txt", route, () => {
    throw new DomainError(
      "unavailable",
      "The documentation is not installed; the API is described at /api/openapi.json",
    );
  });
}
