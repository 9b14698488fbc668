/** Registers the routes by which anybody subscribes to a status page, confirms it and ends it. They know no caller. */
import { DomainError, linkTokenSchema, MINUTE_MS, statusPageRoutes } from "@svc/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ApiApp } from "../../platform/http/api.ts";
import { acceptFormToo, PUBLIC_BODY_BYTES_MAX } from "../../platform/http/body.ts";
import { pageHeaders } from "../../platform/http/html-page.ts";
import { serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { CONFIRM_PATH, UNSUBSCRIBE_PATH } from "./link.ts";
import {
  askedPage,
  confirmPage,
  SUBSCRIBE_STATUS,
  UNSUBSCRIBE_STATUS,
  unsubscribePage,
} from "./link-pages.ts";
import { subscribe } from "./subscribe.ts";
import { confirmByLink, findConfirmLink, findUnsubscribeLink, unsubscribeByLink } from "./use-link.ts";

/** Requests of a remote address to subscribe, in ten minutes. */
export const SUBSCRIBE_REQUESTS_MAX = 10;
/** Uses of links by a remote address, in a minute: a scanner that opens the links of many mails is slowed down. */
const LINK_REQUESTS_MAX = 60;

/** Registers the routes. Pages of links change nothing, since mail scanners and previews open links, too. */
export function registerSubscriptionRoutes(app: ApiApp, services: Services): void {
  const assertFewRequests = limitOf(app, { max: SUBSCRIBE_REQUESTS_MAX, timeWindow: 10 * MINUTE_MS });
  const assertFewLinks = limitOf(app, { max: LINK_REQUESTS_MAX, timeWindow: MINUTE_MS });
  const page = {
    config: { access: "public" },
    schema: { hide: true, querystring: linkTokenSchema },
  } as const;

  app.get(CONFIRM_PATH, page, async (request, reply) => {
    await assertFewLinks(request);
    const link = await findConfirmLink(services, request.query.token);
    return html(reply, link.state === "gone" ? 410 : 200, confirmPage(request.query.token, link));
  });
  app.get(UNSUBSCRIBE_PATH, page, async (request, reply) => {
    await assertFewLinks(request);
    const { token } = request.query;
    const link = await findUnsubscribeLink(services, token);
    return html(reply, UNSUBSCRIBE_STATUS[link.state], unsubscribePage(token, link));
  });

  void app.register(async (scope) => {
    acceptFormToo(scope);
    // RFC 8058 has mail programs post either form; its one field says what the address says already.
    scope.addContentTypeParser(
      "multipart/form-data",
      { parseAs: "buffer", bodyLimit: PUBLIC_BODY_BYTES_MAX },
      (_request, _body, done) => done(null, undefined),
    );
    serve(scope as ApiApp, statusPageRoutes.subscribe, {
      bodyLimit: PUBLIC_BODY_BYTES_MAX,
      handler: async (request, reply) => {
        await assertFewRequests(request);
        const asked = await subscribe(services, { slug: request.params.slug, email: request.body.email });
        return html(reply, SUBSCRIBE_STATUS[asked.outcome], askedPage(asked));
      },
    });
    serve(scope as ApiApp, statusPageRoutes.confirmSubscription, async (request, reply) => {
      await assertFewLinks(request);
      const { token } = request.query;
      const link = await confirmByLink(services, token);
      return html(reply, link.state === "gone" ? 410 : 200, confirmPage(token, link));
    });
    serve(scope as ApiApp, statusPageRoutes.unsubscribe, async (request, reply) => {
      await assertFewLinks(request);
      const { token } = request.query;
      const state = await unsubscribeByLink(services, token);
      return html(reply, UNSUBSCRIBE_STATUS[state], unsubscribePage(token, { state }));
    });
  });
}

function html(reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply.code(status).headers(pageHeaders()).send(text);
}

function limitOf(app: ApiApp, options: { max: number; timeWindow: number }) {
  const countRequest = app.createRateLimit(options);
  return async (request: FastifyRequest): Promise<void> => {
    const use = await countRequest(request);
    if (!use.isAllowed && use.isExceeded)
      throw new DomainError("rate_limited", `Too many requests; try again in ${use.ttlInSeconds} s`, {
        retryAfterSeconds: use.ttlInSeconds,
      });
  };
}
