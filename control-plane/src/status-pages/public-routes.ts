/** Registers the routes by which anybody reads a published status page. They know no caller, and store nothing. */
import { notFound, SECOND_MS, type StatusPageView, statusPageRoutes } from "@svc/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ApiApp } from "../platform/http/api.ts";
import { serve } from "../platform/http/serve.ts";
import type { Services } from "../platform/services.ts";
import { BADGE_HEADERS, badgeSvg } from "./view/badge.ts";
import { atomFeed, FEED_HEADERS } from "./view/feed.ts";
import { type Form, type FormText, FormTexts } from "./view/form-texts.ts";
import { STATUS_PAGE_HEADERS, statusPageHtml } from "./view/page.ts";
import { viewJson } from "./view/view-json.ts";
import { type StatusViews, VIEW_LIFETIME_MS } from "./view/views.ts";

const JSON_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "application/json; charset=utf-8",
  "access-control-allow-origin": "*",
};

/** Registers the page, its JSON, its badge and its feed. */
export function registerPublicStatusRoutes(app: ApiApp, services: Services, views: StatusViews): void {
  const texts = new FormTexts();
  const answer =
    (form: Form) => async (request: FastifyRequest<{ Params: { slug: string } }>, reply: FastifyReply) => {
      const view = await views.ofSlug(request.params.slug);
      if (!view) throw notFound("Status page");
      return sendCached(request, reply.headers({ ...form.headers }), texts.of(view, form));
    };
  const addressOf = ({ slug }: StatusPageView) => `${services.publicUrl()}/status/${slug}`;
  serve(
    app,
    statusPageRoutes.page,
    answer({ headers: STATUS_PAGE_HEADERS, textOf: (view) => statusPageHtml(view, linksOf(view)) }),
  );
  serve(app, statusPageRoutes.view, answer({ headers: JSON_HEADERS, textOf: viewJson }));
  serve(
    app,
    statusPageRoutes.badge,
    answer({ headers: BADGE_HEADERS, textOf: ({ state }) => badgeSvg(state) }),
  );
  serve(
    app,
    statusPageRoutes.feed,
    answer({ headers: FEED_HEADERS, textOf: (view) => atomFeed(view, addressOf(view)) }),
  );
}

function linksOf({ slug }: StatusPageView) {
  return {
    json: `/status/${slug}.json`,
    badge: `/status/${slug}/badge.svg`,
    feed: `/status/${slug}/feed.atom`,
    subscribe: `/status/${slug}/subscribe`,
    isFile: false,
  };
}

/** Sends a text that caches may share for as long as a view is kept, or 304 to those who have it. */
function sendCached(request: FastifyRequest, reply: FastifyReply, { text, etag }: FormText): FastifyReply {
  void reply.headers({ etag, "cache-control": `public, max-age=${VIEW_LIFETIME_MS / SECOND_MS}` });
  const known = request.headers["if-none-match"]?.split(",").map((one) => one.trim().replace(/^W\//, ""));
  return known?.includes(etag) ? reply.code(304).send() : reply.send(text);
}
